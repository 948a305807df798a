cimport cython
from wengert._core cimport door
from wengert._core.operators cimport sources
from wengert._core.tensor cimport slots
from wengert._core.tensor.base cimport Tensor
from wengert._core.operators.declaration cimport Declaration

@cython.locals(layout=long)
cpdef object laid_out(Declaration op, tuple args, object array)
@cython.locals(tensor=Tensor)
cpdef bint keep_rows(Declaration op, tuple args) except -1
@cython.locals(shape=tuple, layout=long)
cpdef tuple strides_of_result(Declaration op, tuple args, object array)
@cython.locals(size=long)
cpdef object with_strides(object array, tuple strides)
@cython.locals(count=long, size=long)
cpdef object empty(tuple shape, tuple strides, object dtype)
@cython.locals(size=long)
cpdef tuple steps_of(object array)
cpdef tuple row_major(tuple shape)
cpdef tuple channels_last(tuple shape)
@cython.locals(step=long)
cpdef tuple packed(tuple shape, object order)
cpdef tuple preserved(object array)
cpdef bint suggests_channels(object array) except -1
@cython.locals(least=long)
cpdef bint channels_lie_inside(tuple shape, tuple strides) except -1
cpdef bint is_channels_last(object array) except -1
@cython.locals(reach=long)
cpdef long reach_of(object array) except? -1
@cython.locals(arrays=list, tensors=list, plain=list, position=long, at=long)
cpdef list operands_of(Declaration op, tuple args)
cpdef list scaled_operands(Declaration op, tuple args)
cpdef bint is_among(object array, list others) except -1
@cython.locals(rows=bint, channels=bint, alike=bint, whole=bint)
cpdef tuple iterated(tuple shape, list operands)
@cython.locals(step=long)
cpdef tuple ordered(tuple shape, list operands)
@cython.locals(missing=long)
cpdef tuple stretched(object array, tuple shape)
@cython.locals(at=long, before=long)
cpdef list in_order(tuple shape, list operands)
cpdef long compared(long one, long other, tuple shape, list operands) except -2
