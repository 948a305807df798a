cimport cython

cdef long MOST

@cython.locals(one=long)
cpdef long bit(long number) except? -1
cpdef long all_below(long count) except? -1
