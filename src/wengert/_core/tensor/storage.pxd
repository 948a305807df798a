cimport cython
from libc.stdint cimport int64_t
from wengert._core.state.modes cimport current
from wengert._core.tensor cimport slots

@cython.no_gc
cdef class Storage:
    cdef public object array, writes, counting
    cdef public int64_t version, serial, detached
    cdef object __weakref__

cpdef object count(Storage storage)
cpdef object count_write(Storage storage, str operation)

cdef int64_t _last

cpdef int64_t next_serial() except -1
cpdef int64_t next_serials(int64_t count) except -1
