cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.aliasing.views cimport ViewInfo
from wengert._core.capture cimport direct
from wengert._core.graph.node cimport Edge, new_edge
from wengert._core.tensor.base cimport Tensor, wrap_flagged
from wengert._core.tensor.meta cimport AutogradMeta
from wengert._core.tensor.storage cimport Storage

cdef int64_t HOLD_TENSOR, HOLD_EDGE, HOLD_ARRAY

@cython.locals(storage=Storage)
cpdef bint is_lasting(Tensor tensor, int64_t born) except -1
cpdef bint is_small(object array) except -1
@cython.locals(own=Tensor, info=ViewInfo, source=Tensor)
cpdef object origin_of(object view, tuple args, int64_t kind, int64_t born)
@cython.locals(edge=Edge, meta=AutogradMeta, info=ViewInfo)
cpdef bint is_same_view(Tensor view, object value, Tensor source, tuple origin, object layout) except -1
cpdef bint is_unused(AutogradMeta meta) except -1
@cython.locals(info=ViewInfo)
cpdef object renew_view(Tensor view)
@cython.locals(kept=list, own=Tensor, values=list)
cpdef tuple references_of_a_kept_one()
@cython.locals(edge=Edge)
cpdef tuple counted(Tensor tensor, object value)
