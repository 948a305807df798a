cimport cython
from libc.stdint cimport int64_t
from wengert._core.bits cimport bit
from wengert._core cimport door, flags
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.leaves.accumulate cimport add_into
from wengert._core.operators cimport sources
from wengert._core.operators.declaration cimport Declaration
from wengert._core.operators.overlap cimport overlaps
from wengert._core.operators.rules cimport plan_for
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport Edge, Node, set_up
from wengert._core.recording.recorded cimport OpNode, ViewNode
from wengert._core.aliasing.views cimport ViewInfo, take, way

@cython.no_gc
cdef class CopySlices(Node):
    cdef public Node inner
    cdef public bint recorded, released
    cdef public list levels
    cdef public tuple strides
    cdef public ViewInfo view

@cython.locals(modes=Modes, rest=Tensor, kept=Tensor)
cpdef object route(CopySlices node, Tensor grad, bint owned)
cpdef object check_apart(object part, object outgoing)
cpdef object route_recorded(CopySlices node, object grad)
@cython.locals(node=CopySlices, base=Tensor, size=int64_t)
cpdef CopySlices copy_slices(Node inner, ViewInfo info, Edge before, Modes modes)
@cython.locals(op=Declaration, mask=int64_t, at=int64_t)
cpdef object spare(OpNode inner)
@cython.locals(size=int64_t, at=int64_t)
cpdef bint is_laid_out(Tensor tensor, tuple strides) except -1
@cython.locals(view=Declaration, modes=Modes)
cpdef bint add_to_part(ViewNode node, Tensor grad, Tensor whole) except -1
