cimport cython
from wengert._core cimport door, flags, layouts, promotion, sources, vectorcall, views
from wengert._core.accumulate cimport gradient_edge
from wengert._core.base cimport Tensor, share, wrap_flagged
from wengert._core.declaration cimport Declaration, bind, plan_for, read_plain
from wengert._core.modes cimport Modes, current
from wengert._core.node cimport Edge, Node, new_edge, set_up
from wengert._core.recorded cimport OpNode, ViewNode, save_all
from wengert._core.views cimport ViewInfo

cdef class Op(Declaration):
    cdef object run(self, tuple args)
    cpdef object complete(self, tuple args, long word, Modes modes)

cpdef object begin_calls(Op op)
cpdef object run_bound(Op op, tuple args)
@cython.locals(mask=long, node=OpNode)
cpdef object attach(Op op, tuple args, Tensor result, tuple edges, Modes modes)
@cython.locals(info=ViewInfo)
cpdef object mark_view(ViewNode node, Tensor view)
@cython.locals(node=OpNode)
cpdef OpNode new_node(Op op, tuple args, long mask, tuple edges, Modes modes, long outputs)
@cython.locals(modes=Modes, word=long)
cpdef object perform(Op op, tuple args)
@cython.locals(modes=Modes, word=long)
cpdef object attempt(Op op, object native, tuple args)
cpdef object computed(Op op, tuple args, Modes modes)
@cython.locals(word=long, rest=long, position=long)
cpdef long input_word(Op op, tuple args) except -1
cpdef long flags_of(Tensor tensor) except -1
@cython.locals(position=long)
cpdef object refresh_views(Op op, tuple args)
@cython.locals(values=list, position=long)
cpdef list unwrap(Op op, tuple args)
cpdef object array_of(Tensor tensor)
@cython.locals(partly=bint, arrays=list)
cpdef list arrays_of(Op op, object value, long position)
cpdef object run_kernel(Op op, list values, Modes modes)
cpdef dict keywords(Op op, list values)
cpdef object as_array(object value)
@cython.locals(recorded=bint, results=list, nr=long, result=Tensor)
cpdef object finish(Op op, tuple args, object made, long word, Modes modes)
@cython.locals(source=Tensor, result=Tensor)
cpdef Tensor wrap_result(Op op, tuple args, object made, long nr, Modes modes)
@cython.locals(mask=long, bit=long, position=long)
cpdef long grad_mask(Op op, tuple args) except -1
@cython.locals(slots=tuple, edges=list, position=long)
cpdef tuple gather_edges(Op op, tuple args)
cpdef object edge_to(object value)
@cython.locals(mask=long, extra=long, first=long, slot=long, at=long)
cpdef long mask_of(Op op, tuple edges) except -1
@cython.locals(mask=long, node=OpNode, result=Tensor, nr=long)
cpdef object record_several(Op op, tuple args, tuple results, tuple edges, Modes modes)
