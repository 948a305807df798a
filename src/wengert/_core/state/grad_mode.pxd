cimport cython
from wengert._core.state.modes cimport Modes, current

cdef class Guard:
    cdef public object entered

@cython.locals(entry=tuple)
cpdef object leave(Guard guard, Modes modes)

cdef class Recording(Guard):
    cdef public bint wanted

cdef class Inference(Guard):
    cdef public bint mode

cdef class Setting(Guard):
    cdef public bint mode
    cdef public object pending
    cpdef bint change(self, Modes modes, bint mode) except -1

cdef class set_grad_enabled(Setting):
    cpdef bint change(self, Modes modes, bint mode) except -1

cdef class set_multithreading_enabled(Setting):
    cpdef bint change(self, Modes modes, bint mode) except -1
