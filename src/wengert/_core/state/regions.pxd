cimport cython
from wengert._core.state.modes cimport Modes

cdef class Entered:
    cdef public object _entries_

@cython.locals(entry=tuple)
cpdef object leave(Entered guard, Modes modes)

cdef class Region(Entered):
    pass
