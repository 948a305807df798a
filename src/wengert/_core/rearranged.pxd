cimport cython
from wengert._core cimport dispatch, flags, inplace
from wengert._core.base cimport Tensor
from wengert._core.dispatch cimport Op
from wengert._core.inplace cimport InPlaceOp
from wengert._core.modes cimport Modes, current
from wengert._core.node cimport Edge, WideEdge
from wengert._core.recorded cimport ViewNode, save_all
from wengert._core.storage cimport count
from wengert._core.views cimport ViewInfo

cdef class InPlaceView(InPlaceOp):
    cpdef object complete(self, tuple args, long word, Modes modes)

@cython.locals(functional=Op, target=Tensor, recording=bint, node=ViewNode, info=ViewInfo, known=Edge)
cpdef object rearrange(InPlaceView op, tuple args, Modes modes)
