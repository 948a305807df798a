cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.capture cimport direct
from wengert._core.capture.lists cimport layout_of
from wengert._core.state.modes cimport Modes
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.meta cimport AutogradMeta

cdef class Guard:
    cdef public object layout, cls
    cdef public int64_t word
    cdef public bint requires

@cython.locals(guard=Guard)
cpdef Guard guard_of(Tensor tensor)
@cython.locals(candidate=Tensor)
cpdef bint holds(Guard guard, object tensor) except -1

cdef class External:
    cdef public Guard guard
    cdef public object tensor, storage
    cdef public int64_t source, register
    cdef public bint bare

@cython.locals(external=External, tensor=Tensor, meta=AutogradMeta, state=int64_t, at=int64_t)
cpdef int64_t found(list externals, object leaves, list tensors) except -1
@cython.locals(first=dict, result=list, tensor=Tensor, at=int64_t)
cpdef tuple kinship(list tensors)
cpdef bint is_plain(Modes modes) except -1
cpdef object flattened(object value, list leaves)
