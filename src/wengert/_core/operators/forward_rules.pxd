cimport cython
from libc.stdint cimport int64_t
from wengert._core.bits cimport bit
from wengert._core.operators cimport sources
from wengert._core.operators.declaration cimport Declaration
from wengert._core.operators.rules cimport Rule

cdef class Share:
    cdef public int64_t way, part
    cdef public object fn
    cdef public tuple slots, sources, positions

cpdef tuple shares_for(object op, int64_t mask)
@cython.locals(shares=list, rest=int64_t, rule=Rule, slot=int64_t, served=int64_t)
cpdef tuple make_shares(object op, int64_t mask)
@cython.locals(mask=int64_t)
cpdef int64_t bits_of(tuple slots) except -1
@cython.locals(rule=Rule)
cpdef Share derived_share(object op, int64_t slot)
