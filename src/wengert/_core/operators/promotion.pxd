cimport cython
from libc.stdint cimport int64_t
from wengert._core.operators cimport sources
from wengert._core.tensor.base cimport Tensor, wrap_flagged
from wengert._core.operators.declaration cimport Declaration

cpdef bint is_operand(object value) except -1
cpdef object other_operand(Declaration op, object value, int64_t position)
@cython.locals(values=list, position=int64_t)
cpdef tuple as_tensors(Declaration op, tuple args)
cpdef object constant_of(object operand)
@cython.locals(partly=bint, arrays=list, tensor=Tensor)
cpdef list arrays_of(Declaration op, object value, int64_t position)
@cython.locals(settled=bint, position=int64_t, tensor=Tensor)
cpdef object promote(Declaration op, list values)
