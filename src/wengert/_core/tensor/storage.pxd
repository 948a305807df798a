cimport cython
from wengert._core.state.modes cimport current
from wengert._core.tensor cimport slots

@cython.no_gc
cdef class Storage:
    cdef public object array, writes, counting
    cdef public long version, serial, detached
    cdef object __weakref__

cpdef object count(Storage storage)
cpdef object count_write(Storage storage, str operation)

cdef long _last

cpdef long next_serial() except -1
cpdef long next_serials(long count) except -1
