from wengert._core.base cimport Tensor
from wengert._core.slots cimport Operator

cdef class Composed(Operator):
    cdef public object function
