cimport cython
from libc.stdint cimport int64_t
from wengert._core.capture.lists cimport Entry
from wengert._core.capture.signatures cimport flattened

cdef class PackedEntries:
    cdef public dict whole
    cdef public list forms, codes
    cdef readonly object numbers, starts
    @cython.locals(numbers=list)
    cpdef Entry unpacked(self, int64_t start)

cpdef bint is_packable(Entry entry) except -1
@cython.locals(known=dict, entry=Entry)
cpdef object share_constants(list entries)
cpdef tuple form_of(Entry entry)
cpdef object pack(Entry entry, object numbers, dict forms, dict codes)
