from wengert._core.state.modes cimport Modes, current
from wengert._core.state.regions cimport Entered, leave

cdef class Guard(Entered):
    pass

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
