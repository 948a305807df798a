cimport cython
from wengert._core.capture.captured cimport Captured
from wengert._core.capture.signatures cimport flattened, is_plain
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor.base cimport Tensor

cdef class Signature:
    cdef public list lists
    cdef public dict groups

cdef class Replayable:
    cdef public object function
    cdef public dict signatures
    cdef public list modules
    cpdef object replayed(self, Captured captured, list owners, object args, object kwargs)

cpdef object key_of(tuple args, dict kwargs, list leaves, Modes modes)
cpdef bint are_tensors(tuple args) except -1
