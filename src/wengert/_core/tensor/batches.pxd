cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport flags
from wengert._core.tensor.base cimport Tensor, share
from wengert._core.tensor.storage cimport next_serial

cdef class Batch:
    cdef public int64_t number, size, depth
    cdef public object randomness
    cdef public bint directions

@cython.locals(result=Tensor)
cpdef Tensor batched(Tensor whole, Batch level)
cpdef object begin(Tensor tensor)
cpdef bint is_batched(Tensor tensor) except -1
cpdef Batch level_of(object value)
@cython.locals(levels=list)
cpdef list levels_of(object value)
cpdef bint has(object value, Batch level) except -1
cpdef bint is_apart(Tensor tensor, list levels) except -1
cpdef Tensor bare(Tensor tensor)
@cython.locals(result=Tensor)
cpdef Tensor twin(Tensor tensor)
cpdef object whole_of(object value, Batch level)
cpdef bint is_constant(Tensor whole) except -1
