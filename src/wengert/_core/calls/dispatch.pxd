cimport cython
from wengert._core.bits cimport bit
from wengert._core cimport door, flags
from wengert._core.operators cimport layouts, promotion, sources
from wengert._core.aliasing cimport views
from wengert._core.calls cimport noted
from wengert._core.leaves.accumulate cimport edge_in
from wengert._core.tensor.base cimport Tensor, share, wrap_flagged
from wengert._core.operators.declaration cimport Declaration
from wengert._core.operators.rules cimport Plan, plan_for
from wengert._core.tensor cimport slots, tapes
from wengert._core.tensor.tapes cimport Cache, Tape
from wengert._core.profiling.events cimport logged
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport Edge, Node, new_edge, set_up
from wengert._core.recording.recorded cimport OpNode, ViewNode, save_all
from wengert._core.aliasing.views cimport ViewInfo

@cython.locals(mask=long, node=OpNode)
cpdef object attach(Declaration op, tuple args, Tensor result, tuple edges, Modes modes)
@cython.locals(info=ViewInfo)
cpdef object mark_view(ViewNode node, Tensor view)
@cython.locals(node=OpNode)
cpdef OpNode new_node(Declaration op, tuple args, long mask, tuple edges, Modes modes, long outputs)
cpdef object class_of_node(Declaration op, tuple args)
@cython.locals(modes=Modes, input_flags=long, word=long)
cpdef object perform(Declaration op, tuple args)
@cython.locals(modes=Modes, cache=Cache, own=Tape)
cpdef object run_followed(Declaration op, object first, object second)
@cython.locals(cache=Cache, own=Tape)
cpdef object run_known(Declaration op, tuple args, long word, Modes modes)
@cython.locals(cache=Cache)
cpdef object learn(Declaration op, tuple args, object result, long word, Modes modes)
cpdef object profiled(Declaration op, tuple args, long word, long input_flags, Modes modes)
cpdef object completed(Declaration op, tuple args, long word, long input_flags, Modes modes)
cpdef bint is_unusual(Declaration op, long input_flags, long word) except -1
cpdef object computed(Declaration op, tuple args, Modes modes)
cpdef object computed_by_body(Declaration op, tuple args, Modes modes)
@cython.locals(word=long, rest=long, position=long)
cpdef long input_word(Declaration op, tuple args) except -1
cpdef long flags_of(Tensor tensor) except -1
cpdef bint may_be_overridden(Tensor tensor) except -1
@cython.locals(position=long)
cpdef object refresh_views(Declaration op, tuple args)
@cython.locals(values=list, position=long)
cpdef list unwrap(Declaration op, tuple args)
cpdef object array_of(Tensor tensor)
cpdef object run_kernel(Declaration op, list values, Modes modes)
@cython.locals(position=long)
cpdef bint holds_half(Declaration op, list values) except -1
cpdef object run_body(Declaration op, list values, Modes modes)
cpdef dict keywords(Declaration op, list values)
cpdef object as_array(object value)
@cython.locals(recorded=bint, results=list, nr=long, result=Tensor)
cpdef object finish(Declaration op, tuple args, object output, long word, Modes modes)
@cython.locals(mask=long, first=Tensor)
cpdef bint is_put_at(Tape own, Declaration op, tuple args, object results, Modes modes) except -1
@cython.locals(own=Tape)
cpdef bint is_written(Declaration op, tuple args, object results, Modes modes) except -1
cpdef bint is_put(Declaration op, tuple args, object results, Modes modes) except -1
@cython.locals(at=long)
cpdef bint saves_tail(Plan plan, tuple args) except -1
@cython.locals(results=tuple, source=Tensor, nr=long)
cpdef object remember(Declaration op, tuple args, object output, long word, Modes modes)
@cython.locals(source=Tensor, result=Tensor)
cpdef Tensor wrap_result(Declaration op, tuple args, object array, long nr, Modes modes)
@cython.locals(mask=long, own=long, position=long)
cpdef long grad_mask(Declaration op, tuple args) except -1
@cython.locals(slots=tuple, position=long, edges=list, second=long)
cpdef tuple gather_edges(Declaration op, tuple args, Modes modes)
@cython.locals(position=long)
cpdef object check_constants(Declaration op, tuple args)
cpdef object edge_to(object value, Modes modes)
@cython.locals(mask=long, extra=long, first=long, slot=long, at=long)
cpdef long mask_of(Declaration op, tuple edges) except -1
@cython.locals(mask=long, node=OpNode, result=Tensor, nr=long)
cpdef object record_several(Declaration op, tuple args, tuple results, tuple edges, Modes modes)
