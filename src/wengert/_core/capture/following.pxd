cimport cython
from wengert._core cimport door
from wengert._core.calls cimport taped
from wengert._core.capture.segments cimport CompiledFunctionBackward, Connections, Segment, add_outer, lead, new_segment_node
from wengert._core.capture.signatures cimport holds
from wengert._core.graph.node cimport Edge
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor cimport slots, tapes
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.storage cimport Storage
from wengert._core.tensor.tapes cimport Tape, is_quiet, is_taped, new_tape

cdef long CONSTANT, NESTED, FIRST, FEW, HOLDERS

cdef class Pattern:
    cdef public list ops, places, constants, layouts, guards
    cdef public tuple required, ends, kept, same, spaces, unused
    cdef public long root, matches, failures
    cdef public Connections graph

cdef class Match:
    cdef public Tape tape
    cdef public list found, results

cdef class Follower:
    cdef public object function
    cdef public list patterns
    cdef public long idle, wasted
    @cython.locals(tape=Tape)
    cpdef object conclude(self, Modes modes)
    cpdef object begin_pass(self, Tape tape, tuple outputs, object inputs, bint create_graph)
    @cython.locals(pattern=Pattern, match=Match)
    cpdef object matched(self, Tape tape, object root)
    @cython.locals(earlier=Tape)
    cpdef object settle(self, Tape tape)
    cpdef object settle_written(self, Tape tape, Storage storage)
    @cython.locals(node=CompiledFunctionBackward)
    cpdef bint keeps(self, Tape tape, Storage storage) except -1

cpdef object owner_of(object array)
@cython.locals(tape=Tape, earlier=Tape)
cpdef object close(Modes modes)
cpdef object discard(Tape tape)
@cython.locals(pattern=Pattern)
cpdef object release(Tape tape)
@cython.locals(holder=list, edge=Edge)
cpdef long references_of_one_holder() except? -1
@cython.locals(pattern=Pattern, edges=list, edge=Edge, at=long)
cpdef bint is_used(Tape tape) except -1
@cython.locals(root=Tensor, edge=Edge)
cpdef object single_root(Tape tape, tuple outputs)
@cython.locals(tensor=Tensor)
cpdef bint are_taped(object inputs) except -1
@cython.locals(calls=list, results=list, place=long, at=long, nr=long)
cpdef bint fits(Pattern pattern, Match match) except -1
@cython.locals(found=list, place=long, at=long)
cpdef bint fit(Pattern pattern, Match match, tuple places, tuple constants, object args) except -1
@cython.locals(tensor=Tensor)
cpdef bint bind(Pattern pattern, Match match, long place, object value) except -1
@cython.locals(required=tuple, found=list, at=long, other=long)
cpdef bint are_distinct(Pattern pattern, Match match) except -1
cpdef bint are_same(Pattern pattern, Match match) except -1
@cython.locals(result=Tensor)
cpdef bint are_unused(Pattern pattern, Match match) except -1
@cython.locals(tensor=Tensor)
cpdef object array_at(long place, Match match)
cpdef bint is_laid_out(Tensor tensor, object layout) except -1
@cython.locals(at=long)
cpdef bint is_equal(object one, object other) except -1
@cython.locals(tape=Tape, modes=Modes, graph=Connections, segment=Segment, root=Tensor, edges=list, unlike=bint, kept=list, node=CompiledFunctionBackward, following=Tape, earlier=Tape, output=tuple)
cpdef object replace(Pattern pattern, Match match)
@cython.locals(stores=list, versions=list, tensor=Tensor, storage=Storage, at=long, place=tuple)
cpdef object add_stores(CompiledFunctionBackward node, Connections graph, list found, Tensor root)
@cython.locals(edges=list, at=long)
cpdef list all_edges(list calls)
