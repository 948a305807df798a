from wengert._core.base cimport Tensor
from wengert._core.dispatch cimport Op, attempt

cdef class PlainCase(Op):
    cdef public Op op
    cdef public object function
