cimport cython
from libc.stdint cimport int64_t
from wengert._core.capture.captured cimport Captured, is_again
from wengert._core.capture.segments cimport Connections
from wengert._core.capture.signatures cimport flattened, is_plain
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor.base cimport Tensor

cdef class Signature:
    cdef public list lists
    cdef public dict groups
    cdef public int64_t count
    cdef public bint grad
    cdef public object dtype

cdef class Replayable:
    cdef public object function
    cdef public dict signatures
    cdef public list modules
    cdef public object recent

@cython.locals(modes=Modes, signature=Signature, leaves=tuple, captured=Captured, graph=Connections, tensors=list)
cpdef object call(Replayable owner, tuple args, dict kwargs)
cpdef object replayed(Replayable owner, Captured captured, list owners, object args, object kwargs)
cpdef bint is_recent(Signature signature, tuple args, Modes modes) except -1
cpdef object key_of(tuple args, dict kwargs, list leaves, Modes modes)
cpdef bint are_tensors(tuple args) except -1
