cimport cython
@cython.no_gc
cdef class Storage:
    cdef public object array
    cdef public long version, serial
