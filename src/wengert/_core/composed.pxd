from wengert._core cimport door
from wengert._core.base cimport Tensor, wrap
from wengert._core.dispatch cimport Op, attempt

cdef class PlainCase(Op):
    cdef public Op op
    cdef public object function

cdef class Factory:
    cdef public object native, function
