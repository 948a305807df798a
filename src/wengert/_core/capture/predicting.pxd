cimport cython
from wengert._core cimport door, flags
from wengert._core.calls cimport dispatch
from wengert._core.capture cimport direct, matching
from wengert._core.capture.matching cimport Match, Pattern, fit, is_laid_out
from wengert._core.capture.segments cimport lead
from wengert._core.graph.node cimport Edge, new_edge
from wengert._core.tensor.base cimport Tensor, wrap_flagged
from wengert._core.tensor.storage cimport Storage, next_serial
from wengert._core.tensor.tapes cimport Predicting, Tape

cdef long NOWHERE, HOLD_TENSOR, HOLD_STORAGE, HOLD_EDGE, HOLD_ARRAY

cdef class Prediction(Predicting):
    cdef public Pattern pattern
    cdef public Match match
    cdef public long position, expected
    @cython.locals(pattern=Pattern, at=long, values=list, place=long, result=Tensor)
    cpdef object run(self, object op, tuple args)
    @cython.locals(pattern=Pattern, at=long, tensor=Tensor)
    cpdef bint takes(self, object op, tuple args, object result) except -1
    @cython.locals(held=Prediction, pattern=Pattern, tape=Tape, results=list, calls=list, tensor=Tensor, at=long)
    cpdef object end(self)
    @cython.locals(pattern=Pattern, at=long, places=tuple)
    cpdef bint compares(self, object op, tuple args) except -1
    cpdef object advance(self, Tensor result)
    @cython.locals(pattern=Pattern, values=list, at=long)
    cpdef object leave(self)

@cython.locals(tensor=Tensor, place=long, at=long)
cpdef object put_arrays(Match match, Pattern pattern, tuple places, tuple constants)
cpdef object predict(Tape tape, object pattern)
@cython.locals(values=list, place=long, at=long)
cpdef tuple arguments(Match match, tuple places, tuple constants)
@cython.locals(storage=Storage, edge=Edge)
cpdef bint is_free(Tensor tensor, object value) except -1
@cython.locals(cached=list, own=Tensor, values=list)
cpdef tuple references_of_a_free_one()
@cython.locals(storage=Storage, edge=Edge)
cpdef tuple counted(Tensor tensor, object value)
