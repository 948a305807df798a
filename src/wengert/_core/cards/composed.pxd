from wengert._core cimport door
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.calls.dispatch cimport attempt
from wengert._core.calls.op cimport Op

cdef class PlainCase(Op):
    cdef public Op op
    cdef public object function

cdef class Factory:
    cdef public object native, function
