from wengert._core cimport shortcuts
from wengert._core.profiling cimport events

cdef bint is_watched() except -1
cpdef object fill(object cls, object look_up, object call, dict active)
