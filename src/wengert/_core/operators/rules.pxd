cimport cython
from libc.stdint cimport int64_t
from wengert._core.operators cimport sources
from wengert._core.operators.declaration cimport Declaration

cdef class Rule:
    cdef public object fn, native
    cdef public tuple names, slots
    cdef public bint partial, passes, single
    cdef public int64_t slot

cdef class Plan:
    cdef public tuple names, sources, positions, rules, arguments, wanted
    cdef public bint frees, narrows
    cdef public object tail
    cdef public int64_t mask

@cython.locals(plan=Plan)
cpdef Plan plan_for(Declaration op, int64_t mask)
