cimport cython
from libc.stdint cimport int64_t

cdef class AutogradMeta:
    cdef public object grad, grad_dtype, accumulator, lock, view, hooks, after_accumulate, name, tangent, origin
    cdef public bint retains_grad
    cdef public int64_t process

@cython.locals(meta=AutogradMeta)
cpdef AutogradMeta new_meta()
