cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door
from wengert._core.operators cimport sources
from wengert._core.tensor cimport slots
from wengert._core.tensor.base cimport Tensor
from wengert._core.operators.declaration cimport Declaration

@cython.locals(layout=int64_t)
cpdef object laid_out(Declaration op, tuple args, object array)
@cython.locals(tensor=Tensor)
cpdef bint keep_rows(Declaration op, tuple args) except -1
@cython.locals(shape=tuple, layout=int64_t)
cpdef tuple strides_of_result(Declaration op, tuple args, object array)
@cython.locals(size=int64_t)
cpdef object with_strides(object array, tuple strides)
@cython.locals(count=int64_t, size=int64_t)
cpdef object empty(tuple shape, tuple strides, object dtype)
@cython.locals(size=int64_t)
cpdef tuple steps_of(object array)
cpdef tuple row_major(tuple shape)
cpdef tuple channels_last(tuple shape)
@cython.locals(step=int64_t)
cpdef tuple packed(tuple shape, object order)
cpdef tuple preserved(object array)
cpdef bint suggests_channels(object array) except -1
@cython.locals(least=int64_t)
cpdef bint channels_lie_inside(tuple shape, tuple strides) except -1
cpdef bint is_channels_last(object array) except -1
@cython.locals(reach=int64_t)
cpdef int64_t reach_of(object array) except? -1
@cython.locals(arrays=list, tensors=list, plain=list, position=int64_t, at=int64_t)
cpdef list operands_of(Declaration op, tuple args)
cpdef list scaled_operands(Declaration op, tuple args)
cpdef bint is_among(object array, list others) except -1
@cython.locals(rows=bint, channels=bint, alike=bint, whole=bint)
cpdef tuple iterated(tuple shape, list operands)
@cython.locals(step=int64_t)
cpdef tuple ordered(tuple shape, list operands)
@cython.locals(missing=int64_t)
cpdef tuple stretched(object array, tuple shape)
@cython.locals(at=int64_t, before=int64_t)
cpdef list in_order(tuple shape, list operands)
cpdef int64_t compared(int64_t one, int64_t other, tuple shape, list operands) except -2
