cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door
from wengert._core.tensor.base cimport Tensor, share

cpdef object rule_for(object op)
cpdef object loaded(object op)
cpdef bint is_elementwise(object op) except -1
cpdef object looped(object op, int64_t size, list args, list carried)
@cython.locals(results=list, at=int64_t)
cpdef object one_by_one(object op, int64_t size, list args, list carried, object before)
cpdef object of_member(object op, list args, list carried, int64_t at)
@cython.locals(tensor=Tensor)
cpdef object member(object value, object carried, int64_t at)
cpdef object elementwise(object op, int64_t size, list args, list carried)
cpdef list padded(object op, list args, list carried)
@cython.locals(depth=int64_t, tensor=Tensor, ndim=int64_t)
cpdef bint fits(object op, list args, list carried) except -1
cpdef object promote(object op, list args, list carried)
cpdef object one_of(Tensor tensor, bint carried)
cpdef object check_target(Tensor target, Tensor whole)
cpdef list full(list args, list carried, int64_t size)
cpdef object with_batch(object value, object carried, int64_t size)
cpdef object shifted(object dims, int64_t ndim)
