cdef long _count

cpdef long forks() except -1
cpdef object count_fork()
