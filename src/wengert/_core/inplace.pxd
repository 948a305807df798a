cimport cython
from wengert._core cimport dispatch, door, flags, views
from wengert._core.accumulate cimport gradient_edge
from wengert._core.base cimport AutogradMeta, Tensor, share
from wengert._core.dispatch cimport Op
from wengert._core.modes cimport Modes, current
from wengert._core.node cimport Edge, Node, new_edge, set_up
from wengert._core.recorded cimport OpNode, save_all, save_outputs
from wengert._core.views cimport ViewInfo, attach

cdef class InPlaceOp(Op):
    cdef public Op functional

@cython.no_gc
cdef class CopySlices(Node):
    cdef public Node inner
    cdef public tuple strides
    cdef public ViewInfo view

cdef long STALE

@cython.locals(functional=Op, target=Tensor, modes=Modes, word=long, recorded=bint, mask=long, values=list, node=OpNode)
cpdef object call(InPlaceOp op, tuple args)
@cython.locals(recording=bint, info=ViewInfo)
cpdef object refuse_unwritable(Op functional, tuple args, Tensor target, Modes modes)
@cython.locals(info=ViewInfo)
cpdef object check_target(Tensor target, bint recording, Modes modes)
@cython.locals(other=Tensor)
cpdef object check_overlap(Op functional, Tensor target, tuple args)
@cython.locals(old=Tensor)
cpdef Tensor old_value(Tensor target)
cpdef object write(Op functional, Tensor target, list values, Modes modes)
@cython.locals(info=ViewInfo, base=Tensor, slices=CopySlices, size=long)
cpdef object rebase(Tensor target, Node node, Modes modes)
