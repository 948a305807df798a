cimport cython
from wengert._core cimport door, flags
from wengert._core.capture cimport direct
from wengert._core.capture.lists cimport layout_of
from wengert._core.state.modes cimport Modes
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.meta cimport AutogradMeta

cdef class Guard:
    cdef public object layout, cls
    cdef public long word
    cdef public bint requires

@cython.locals(guard=Guard)
cpdef Guard guard_of(Tensor tensor)
@cython.locals(candidate=Tensor)
cpdef bint holds(Guard guard, object tensor) except -1

cdef class External:
    cdef public Guard guard
    cdef public object tensor, storage
    cdef public long source, register
    cdef public bint bare

@cython.locals(external=External, tensor=Tensor, meta=AutogradMeta, state=long, at=long)
cpdef long found(list externals, object leaves, list tensors) except -1
@cython.locals(first=dict, result=list, tensor=Tensor, at=long)
cpdef tuple kinship(list tensors)
cpdef bint is_plain(Modes modes) except -1
cpdef object flattened(object value, list leaves)
