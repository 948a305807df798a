cimport cython
from wengert._core cimport door, sources
from wengert._core.base cimport Tensor
from wengert._core.declaration cimport Declaration

@cython.locals(apart=long, positions=tuple)
cpdef object check(Declaration op, Tensor target, tuple args)
cpdef object check_other(Tensor target, Tensor other, bint wholly)
