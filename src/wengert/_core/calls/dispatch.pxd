cimport cython
from libc.stdint cimport int64_t
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

@cython.locals(mask=int64_t, node=OpNode)
cpdef object attach(Declaration op, tuple args, Tensor result, tuple edges, Modes modes)
@cython.locals(info=ViewInfo)
cpdef object mark_view(ViewNode node, Tensor view)
@cython.locals(node=OpNode)
cpdef OpNode new_node(Declaration op, tuple args, int64_t mask, tuple edges, Modes modes, int64_t outputs)
cpdef object class_of_node(Declaration op, tuple args)
@cython.locals(modes=Modes, input_flags=int64_t, word=int64_t)
cpdef object perform(Declaration op, tuple args)
@cython.locals(modes=Modes, cache=Cache, own=Tape)
cpdef object run_followed(Declaration op, object first, object second)
@cython.locals(cache=Cache, own=Tape)
cpdef object run_known(Declaration op, tuple args, int64_t word, Modes modes)
@cython.locals(cache=Cache)
cpdef object learn(Declaration op, tuple args, object result, int64_t word, Modes modes)
cpdef object profiled(Declaration op, tuple args, int64_t word, int64_t input_flags, Modes modes)
cpdef object completed(Declaration op, tuple args, int64_t word, int64_t input_flags, Modes modes)
cpdef bint is_unusual(Declaration op, int64_t input_flags, int64_t word) except -1
cpdef object computed(Declaration op, tuple args, Modes modes)
cpdef object computed_by_body(Declaration op, tuple args, Modes modes)
@cython.locals(word=int64_t, rest=int64_t, position=int64_t)
cpdef int64_t input_word(Declaration op, tuple args) except -1
cpdef int64_t flags_of(Tensor tensor) except -1
cpdef bint may_be_overridden(Tensor tensor) except -1
@cython.locals(position=int64_t)
cpdef object refresh_views(Declaration op, tuple args)
@cython.locals(values=list, position=int64_t)
cpdef list unwrap(Declaration op, tuple args)
cpdef object array_of(Tensor tensor)
cpdef object run_kernel(Declaration op, list values, Modes modes)
@cython.locals(position=int64_t)
cpdef bint holds_half(Declaration op, list values) except -1
cpdef object run_body(Declaration op, list values, Modes modes)
cpdef dict keywords(Declaration op, list values)
cpdef object as_array(object value)
@cython.locals(recorded=bint, results=list, nr=int64_t, result=Tensor)
cpdef object finish(Declaration op, tuple args, object output, int64_t word, Modes modes)
@cython.locals(mask=int64_t, first=Tensor)
cpdef bint is_put_at(Tape own, Declaration op, tuple args, object results, Modes modes) except -1
@cython.locals(own=Tape)
cpdef bint is_written(Declaration op, tuple args, object results, Modes modes) except -1
cpdef bint is_put(Declaration op, tuple args, object results, Modes modes) except -1
@cython.locals(at=int64_t)
cpdef bint saves_tail(Plan plan, tuple args) except -1
@cython.locals(results=tuple, source=Tensor, nr=int64_t)
cpdef object remember(Declaration op, tuple args, object output, int64_t word, Modes modes)
@cython.locals(source=Tensor, result=Tensor)
cpdef Tensor wrap_result(Declaration op, tuple args, object array, int64_t nr, Modes modes)
@cython.locals(mask=int64_t, own=int64_t, position=int64_t)
cpdef int64_t grad_mask(Declaration op, tuple args) except -1
@cython.locals(slots=tuple, position=int64_t, edges=list, second=int64_t)
cpdef tuple gather_edges(Declaration op, tuple args, Modes modes)
@cython.locals(position=int64_t)
cpdef object check_constants(Declaration op, tuple args)
cpdef object edge_to(object value, Modes modes)
@cython.locals(mask=int64_t, extra=int64_t, first=int64_t, slot=int64_t, at=int64_t)
cpdef int64_t mask_of(Declaration op, tuple edges) except -1
@cython.locals(mask=int64_t, node=OpNode, result=Tensor, nr=int64_t)
cpdef object record_several(Declaration op, tuple args, tuple results, tuple edges, Modes modes)
