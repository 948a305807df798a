cimport cython
from libc.stdint cimport int64_t
from wengert._core.calls cimport dispatch
from wengert._core cimport door, flags
from wengert._core.tensor cimport slots
from wengert._core.aliasing cimport views
from wengert._core.leaves.accumulate cimport gradient_edge
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.calls.attempts cimport attempt
from wengert._core.calls.op cimport Op
from wengert._core.writes.inplace cimport InPlaceOp, replace_history, store
from wengert._core.profiling.events cimport Event, Log
from wengert._core.state.modes cimport Modes, current
from wengert._core.recording.recorded cimport OpNode, save_all
from wengert._core.writes.slices cimport copy_slices
from wengert._core.tensor.slots cimport Operator
from wengert._core.tensor.storage cimport count_write

cdef class Indexing(Operator):
    cdef public object function
    cdef public Op advanced

cdef class Assignment(Operator):
    cdef public object function, number
    cdef public Op advanced

@cython.locals(items=tuple, shape=tuple, indices=list, dim=int64_t, last=int64_t)
cpdef object index_tensors(Tensor base, object index)
cpdef int64_t dims_of(Tensor index) except -1
@cython.locals(steps=tuple)
cpdef bint assign(Op advanced, Tensor base, object index, Tensor value) except -1
cpdef object number_like(object native, Tensor base, object value)
@cython.locals(shape=tuple)
cpdef bint begins_with_one(Tensor tensor) except -1
@cython.locals(missing=int64_t, dim=int64_t)
cpdef bint is_repeated(tuple shape, tuple whole) except -1
@cython.locals(modes=Modes, word=int64_t, log=Log, writer=InPlaceOp, event=Event)
cpdef bint write_part(Tensor base, tuple steps, Tensor value) except -1
@cython.locals(args=tuple, wanted=bint, node=OpNode)
cpdef object history(Tensor base, tuple steps, Op op, Tensor value, Modes modes)
@cython.locals(items=tuple, rest=int64_t, dots=int64_t, steps=list, place=int64_t, dim=int64_t)
cpdef tuple plain_steps(tuple shape, object index)
@cython.locals(length=int64_t)
cpdef bint is_within(object index, tuple shape, int64_t place) except -1
cpdef bint is_plain(object bound) except -1
cpdef bint is_whole(tuple bounds, int64_t length) except -1
@cython.locals(op=Op, shape=tuple, steps=tuple)
cpdef object take_part(Tensor base, object index)
