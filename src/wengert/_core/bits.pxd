cimport cython
from libc.stdint cimport int64_t

cdef int64_t MOST

@cython.locals(one=int64_t)
cpdef int64_t bit(int64_t number) except? -1
cpdef int64_t all_below(int64_t count) except? -1
