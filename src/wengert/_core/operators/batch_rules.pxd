cimport cython
from wengert._core cimport door
from wengert._core.tensor.base cimport Tensor, share

cpdef object rule_for(object op)
cpdef object loaded(object op)
cpdef bint is_elementwise(object op) except -1
cpdef object looped(object op, long size, list args, list carried)
@cython.locals(results=list, at=long)
cpdef object one_by_one(object op, long size, list args, list carried, object before)
cpdef object of_member(object op, list args, list carried, long at)
@cython.locals(tensor=Tensor)
cpdef object member(object value, object carried, long at)
cpdef object elementwise(object op, long size, list args, list carried)
cpdef list padded(object op, list args, list carried)
@cython.locals(depth=long, tensor=Tensor, ndim=long)
cpdef bint fits(object op, list args, list carried) except -1
cpdef object promote(object op, list args, list carried)
cpdef object one_of(Tensor tensor, bint carried)
cpdef object check_target(Tensor target, Tensor whole)
cpdef list full(list args, list carried, long size)
cpdef object with_batch(object value, object carried, long size)
cpdef object shifted(object dims, long ndim)
