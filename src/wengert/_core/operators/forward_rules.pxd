cimport cython
from wengert._core.bits cimport bit
from wengert._core.operators cimport sources
from wengert._core.operators.declaration cimport Declaration
from wengert._core.operators.rules cimport Rule

cdef class Share:
    cdef public long way, part
    cdef public object fn
    cdef public tuple slots, sources, positions

cpdef tuple shares_for(object op, long mask)
@cython.locals(shares=list, rest=long, rule=Rule, slot=long, served=long)
cpdef tuple make_shares(object op, long mask)
@cython.locals(mask=long)
cpdef long bits_of(tuple slots) except -1
@cython.locals(rule=Rule)
cpdef Share derived_share(object op, long slot)
