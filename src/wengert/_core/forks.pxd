from libc.stdint cimport int64_t
cdef int64_t _count

cpdef int64_t forks() except -1
cpdef object count_fork()
