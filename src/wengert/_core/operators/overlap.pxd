cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door
from wengert._core.operators cimport sources
from wengert._core.tensor.base cimport Tensor
from wengert._core.operators.declaration cimport Declaration

@cython.locals(apart=int64_t, positions=tuple)
cpdef object check(Declaration op, Tensor target, tuple args)
@cython.locals(tensor=Tensor)
cpdef bint is_same(Tensor target, object other) except -1
@cython.locals(reach=int64_t)
cpdef bint overlaps(object array) except -1
cpdef object check_other(Tensor target, Tensor other, bint wholly)
