cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.operators cimport layouts
from wengert._core.aliasing cimport views
from wengert._core.aliasing.views cimport ViewInfo
from wengert._core.calls cimport batching
from wengert._core.tensor cimport batches, tangents
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.tensor.tangents cimport Level, Tangent

@cython.locals(tangent=Tensor)
cpdef object owned(object value, int64_t before)
@cython.locals(tangent=Tensor)
cpdef object fitted(object value, Tensor like)
@cython.locals(tangent=Tensor)
cpdef object fitted_to_memory(object value, Tensor like)
@cython.locals(info=ViewInfo)
cpdef object receive(Tensor target, Level level)
@cython.locals(wanted=list, known=Tensor, info=ViewInfo)
cpdef object widen(Tensor target, Level level, object value)
cpdef bint is_replaced(Tensor tangent, Level level) except -1
cpdef object zeros_laid_out(Tensor tensor)
@cython.locals(tangent=Tangent)
cpdef object copy_tangents(Tensor twin, Tensor tensor)
