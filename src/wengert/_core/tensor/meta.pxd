cimport cython

cdef class AutogradMeta:
    cdef public object grad, grad_dtype, accumulator, lock, view, hooks, after_accumulate, name, tangent, origin
    cdef public bint retains_grad
    cdef public long process

@cython.locals(meta=AutogradMeta)
cpdef AutogradMeta new_meta()
