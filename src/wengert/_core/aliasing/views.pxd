cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.leaves cimport hooked
from wengert._core.tensor cimport slots
from wengert._core.leaves.accumulate cimport gradient_edge
from wengert._core.tensor.base cimport Tensor, meta_of, share
from wengert._core.tensor.meta cimport AutogradMeta
from wengert._core.operators cimport sources
from wengert._core.operators.declaration cimport Declaration
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport Edge, Node, new_edge
from wengert._core.graph.refused cimport new_refusal

@cython.no_gc
cdef class ViewInfo:
    cdef public Tensor base
    cdef public tuple steps
    cdef public object frame, written
    cdef public int64_t version, kind

cdef int64_t STALE

@cython.locals(info=ViewInfo, parent=ViewInfo, meta=AutogradMeta)
cpdef object attach(Tensor view, Tensor source, object op, tuple args, int64_t nr, Modes modes)
@cython.locals(info=ViewInfo, base=Tensor, anew=bint, modes=Modes, grad=bint, inference=bint, mask=int64_t, fresh=int64_t, again=Tensor)
cpdef object refresh(Tensor view)
@cython.locals(base=Tensor, resized=bint)
cpdef bint has_left(Tensor view, ViewInfo info) except -1
@cython.locals(base=Tensor, node=Node)
cpdef object leave(Tensor view, ViewInfo info)
cpdef object follow(Tensor view, ViewInfo info, bint singly=*)
@cython.locals(info=ViewInfo)
cpdef object moved(Tensor tensor, bint singly=*)
cpdef Tensor take_again(Tensor view, ViewInfo info, object source)
@cython.locals(edge=Edge)
cpdef bint has_lost_base(Tensor view, Tensor base) except -1
@cython.locals(base=Tensor, known=bint, again=Tensor)
cpdef Tensor begin_anew(Tensor view, ViewInfo info)
@cython.locals(info=ViewInfo, base=Tensor)
cpdef object inherit(Tensor view)
@cython.locals(info=ViewInfo, edge=Edge)
cpdef object refuse(Tensor view, bint direct)
@cython.locals(copied=ViewInfo)
cpdef ViewInfo way(ViewInfo info)
@cython.locals(info=ViewInfo)
cpdef ViewInfo part_of(Tensor base, tuple steps)
@cython.locals(op=Declaration, args=tuple, nr=int64_t, positional=int64_t, flag=int64_t)
cpdef object take(object array, object step)
