cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport flags
from wengert._core.aliasing cimport views
from wengert._core.calls cimport dispatch
from wengert._core.capture cimport direct, matching
from wengert._core.capture.kept cimport is_same_view, origin_of, renew_view
from wengert._core.capture.matching cimport ExpectedCall, Match, Pattern, are_laid_out, fit, new_match
from wengert._core.graph.node cimport Edge, new_edge
from wengert._core.tensor.base cimport Tensor, wrap_flagged
from wengert._core.tensor.storage cimport Storage, next_serial
from wengert._core.tensor.tapes cimport Predicting, Tape

cdef class Prediction(Predicting):
    cdef public Pattern pattern
    cdef public Match match
    cdef public int64_t position
    cdef public ExpectedCall upcoming
    cdef public bint is_compared
    @cython.locals(tape=Tape)
    cpdef object run(self, object op, tuple args)
    @cython.locals(expected=ExpectedCall)
    cpdef object run_compared(self, object op, tuple args, Tape tape)
    @cython.locals(tape=Tape)
    cpdef object run2(self, object op, object first, object second)
    @cython.locals(pattern=Pattern, number=int64_t, result=Tensor)
    cpdef object take_array(self, ExpectedCall expected, Tape tape, object returned)
    cpdef object result_of(self, ExpectedCall expected, Tape tape)
    @cython.locals(pattern=Pattern, cached=list, view=Tensor)
    cpdef object take_view(self, ExpectedCall expected, Tensor source)
    @cython.locals(nr=int64_t)
    cpdef object take_all(self, ExpectedCall expected, tuple args, object result)
    @cython.locals(tensor=Tensor)
    cpdef bint uses(self, Storage storage) except -1
    @cython.locals(expected=ExpectedCall)
    cpdef bint takes(self, object op, tuple args, object result) except -1
    cpdef object keep_view(self, ExpectedCall expected, object result, tuple args)
    cpdef object take(self, Tensor result, int64_t number, int64_t nr, bint recorded)
    @cython.locals(held=Prediction, pattern=Pattern, tape=Tape, calls=list, expected=ExpectedCall, count=int64_t, at=int64_t)
    cpdef object end(self)
    @cython.locals(expected=ExpectedCall, match=Match, pattern=Pattern)
    cpdef bint compares(self, object op, tuple args) except -1
    @cython.locals(expected=ExpectedCall)
    cpdef object advance(self)
    @cython.locals(pattern=Pattern, values=list, at=int64_t)
    cpdef object leave(self)
    @cython.locals(pattern=Pattern)
    cpdef object release(self, int64_t number)

@cython.locals(prediction=Prediction)
cpdef Prediction new_prediction(Pattern pattern, Tape tape)
@cython.locals(tensor=Tensor, results=list, edges=list)
cpdef tuple results_of(ExpectedCall expected, Match match)
cpdef object attach(Edge edge, Tape tape)
cpdef object handle_of(object calls)
cpdef object predict(Tape tape, object pattern)
@cython.locals(values=list, place=int64_t, at=int64_t)
cpdef tuple arguments(Match match, tuple places, tuple constants)
