cimport cython
from libc.stdint cimport int64_t
from wengert._core.bits cimport bit
from wengert._core cimport door
from wengert._core.calls cimport taped
from wengert._core.capture.segments cimport CompiledFunctionBackward, Connections, Segment, add_outer, lead, new_segment_node
from wengert._core.capture cimport direct, list_passes, matching
from wengert._core.capture.caching cimport CallCache
from wengert._core.capture.matching cimport Match, Pattern, are_distinct, are_same, are_unused, array_at, fits, new_match
from wengert._core.capture.predicting cimport Prediction, predict
from wengert._core.graph.node cimport Edge
from wengert._core.state.modes cimport Modes, acting, current
from wengert._core.tensor cimport slots, tapes
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.slots cimport TapeOwner
from wengert._core.tensor.storage cimport Storage
from wengert._core.tensor.tapes cimport Tape, await_others, is_quiet, is_taped, lock, new_tape

cdef class Follower(TapeOwner):
    cdef public object function
    cdef public list patterns
    cdef public int64_t idle, wasted, dropped
    cdef public object first, cache
    cpdef int64_t note(self, Pattern pattern) except? -1
    @cython.locals(tape=Tape)
    cpdef object conclude(self, Modes modes)
    cpdef object begin_pass(self, Tape tape, tuple outputs, object inputs, bint create_graph)
    @cython.locals(prediction=Prediction, pattern=Pattern, match=Match, grads=list)
    cpdef object run_pass(self, Tape tape, tuple outputs, object grad_outputs, object inputs, bint accumulating)
    @cython.locals(pattern=Pattern, match=Match)
    cpdef object matched(self, Tape tape, object root)
    cpdef object fail(self, Pattern pattern)
    @cython.locals(earlier=Tape)
    cpdef object create_nodes(self, Tape tape)
    @cython.locals(own=Tape, modes=Modes)
    cpdef object settle(self, object tape)
    cpdef object settle_changed(self, object tape)
    @cython.locals(own=Tape)
    cpdef object settle_written(self, object tape, object storage)
    @cython.locals(node=CompiledFunctionBackward, kept=list)
    cpdef bint keeps(self, Tape tape, Storage storage) except -1

@cython.locals(modes=Modes, cache=CallCache)
cpdef object call(Follower owner, tuple args, dict kwargs)
cpdef object call_with_cache(Follower owner, tuple args, dict kwargs, Modes modes, CallCache cache)
@cython.locals(first=Tape)
cpdef object call_on_tape(Follower owner, tuple args, dict kwargs, Modes modes)
cpdef object owner_of(object array)
@cython.locals(pattern=Pattern, match=Match)
cpdef bint is_complete(Prediction prediction, object root) except -1
cpdef bint has_ended(Tape tape) except -1
@cython.locals(pattern=Pattern)
cpdef bint is_root_used(Tape tape) except -1
@cython.locals(pattern=Pattern, match=Match, modes=Modes, edges=list, following=Tape)
cpdef object pass_by(Tape tape, Prediction prediction)
@cython.locals(pattern=Pattern, graph=Connections, segment=Segment, edges=list, unlike=bint, node=CompiledFunctionBackward, output=tuple)
cpdef object stand_in(Tape tape)
@cython.locals(following=Tape, earlier=Tape)
cpdef Tape new_following(Tape tape, Pattern pattern)
cpdef bint is_in_use(Tape tape) except -1
@cython.locals(tape=Tape)
cpdef object give_up_all(Modes modes)
@cython.locals(tape=Tape)
cpdef object discard_all(Modes modes)
cpdef object close(Modes modes)
cpdef object discard(Tape tape)
@cython.locals(pattern=Pattern)
cpdef object give_up(Tape tape)
@cython.locals(pattern=Pattern, edges=list, edge=Edge, at=int64_t)
cpdef bint is_used(Tape tape) except -1
@cython.locals(root=Tensor, edge=Edge)
cpdef object single_root(Tape tape, tuple outputs)
@cython.locals(tensor=Tensor)
cpdef bint are_taped(object inputs) except -1
@cython.locals(tape=Tape, modes=Modes, graph=Connections, segment=Segment, root=Tensor, edges=list, unlike=bint, kept=list, node=CompiledFunctionBackward, following=Tape, output=tuple)
cpdef object replace(Pattern pattern, Match match, list all_of_tape)
@cython.locals(before=Tape, follower=Follower, other=Pattern)
cpdef object begin_next(Tape tape, Pattern pattern, Tape following)
cpdef bint is_empty(Tape tape) except -1
@cython.locals(prediction=Prediction)
cpdef bint has_calls(Tape tape) except -1
@cython.locals(prediction=Prediction, pattern=Pattern, match=Match)
cpdef object as_predicted(Tape tape, object root)
@cython.locals(stores=list, versions=list, tensor=Tensor, storage=Storage, at=int64_t, place=tuple)
cpdef object add_stores(CompiledFunctionBackward node, Connections graph, list externals, Tensor root)
@cython.locals(edges=list, at=int64_t)
cpdef list all_edges(list calls)
