cimport cython
from libc.stdint cimport int64_t
from wengert._core.calls cimport dispatch
from wengert._core cimport door, flags
from wengert._core.leaves cimport hooked
from wengert._core.operators cimport overlap, promotion, sources
from wengert._core.tensor cimport slots
from wengert._core.aliasing cimport views
from wengert._core.leaves.accumulate cimport gradient_edge
from wengert._core.tensor.base cimport Tensor, share, wrap
from wengert._core.tensor.meta cimport AutogradMeta
from wengert._core.calls.op cimport Op
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport Edge, Node, new_edge
from wengert._core.recording.recorded cimport OpNode, save_all, save_outputs
from wengert._core.graph.refused cimport new_refusal
from wengert._core.recording.saved cimport twin_of
from wengert._core.writes.slices cimport copy_slices
from wengert._core.tensor.storage cimport count
from wengert._core.aliasing.views cimport ViewInfo, attach

cdef class InPlaceOp(Op):
    cdef public Op functional
    cdef public bint by_result
    cpdef object complete(self, tuple args, int64_t word, Modes modes)

cpdef object check_is_tensor(InPlaceOp op, tuple args)
@cython.locals(functional=Op, modes=Modes, word=int64_t)
cpdef object call(InPlaceOp op, tuple args)
@cython.locals(functional=Op, target=Tensor, recorded=bint, mask=int64_t, values=list, together=bint, node=OpNode)
cpdef object complete_write(InPlaceOp op, tuple args, int64_t word, Modes modes)
@cython.locals(functional=Op)
cpdef bint write_at_once(InPlaceOp op, Tensor target, tuple args) except -1
@cython.locals(functional=Op)
cpdef object computed(InPlaceOp op, Tensor target, tuple args)
@cython.locals(other=Tensor, at=int64_t)
cpdef bint shares_memory(Op op, Tensor target, tuple args) except -1
@cython.locals(recording=bint, info=ViewInfo)
cpdef object refuse_unwritable(Op functional, tuple args, Tensor target, Modes modes)
@cython.locals(info=ViewInfo)
cpdef object check_target(Tensor target, bint recording, Modes modes)
cpdef object check_result(Op functional, Tensor target, list values)
@cython.locals(old=Tensor)
cpdef Tensor old_value(Tensor target)
cpdef Tensor copied(Tensor tensor)
@cython.locals(functional=Op, target=Tensor)
cpdef object write(InPlaceOp op, tuple args, list values, object result, Modes modes)
cpdef object counted(InPlaceOp op, Tensor target, Modes modes)
@cython.locals(word=int64_t)
cpdef object write_unusual(InPlaceOp op, tuple args, Modes modes)
@cython.locals(target=Tensor, version=int64_t)
cpdef object write_of_class(InPlaceOp op, tuple args, int64_t word, Modes modes)
@cython.locals(copy=InPlaceOp)
cpdef object store(object array, object value)
@cython.locals(info=ViewInfo, base=Tensor)
cpdef object rebase(Tensor target, Node node, Modes modes)
@cython.locals(edge=Edge)
cpdef object replace_history(Tensor tensor, Node node)
