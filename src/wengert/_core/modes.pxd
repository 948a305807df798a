from wengert._core cimport door, flags

cdef class Modes:
    cdef public bint grad, inference, anomaly, check_nan
    cdef public long mask, word, sequence
    cdef public object saved_hooks, quiet
    cdef public list observers
    cpdef bint set_grad(self, bint enabled)

cpdef Modes current()
