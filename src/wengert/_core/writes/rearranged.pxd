cimport cython
from libc.stdint cimport int64_t
from wengert._core.calls cimport dispatch
from wengert._core cimport flags
from wengert._core.writes cimport inplace
from wengert._core.tensor.base cimport Tensor
from wengert._core.calls.op cimport Op
from wengert._core.writes.inplace cimport InPlaceOp
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport Edge, WideEdge
from wengert._core.recording.recorded cimport ViewNode, save_all
from wengert._core.tensor.storage cimport count
from wengert._core.aliasing.views cimport ViewInfo

cdef class InPlaceView(InPlaceOp):
    cpdef object complete(self, tuple args, int64_t word, Modes modes)

cpdef object refuse_class(InPlaceView op, Tensor target)
@cython.locals(functional=Op, target=Tensor)
cpdef object rearranged_array(InPlaceView op, tuple args, Modes modes)
@cython.locals(functional=Op, target=Tensor, recording=bint, node=ViewNode, info=ViewInfo, known=Edge)
cpdef object rearrange(InPlaceView op, tuple args, Modes modes)
