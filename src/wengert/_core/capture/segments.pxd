cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport bits
from wengert._core cimport door, flags
from wengert._core.aliasing cimport views
from wengert._core.backward.task cimport Task, Tasks
from wengert._core.capture.lists cimport copy_of, run
from wengert._core.capture.outputs cimport build
from wengert._core.capture.signatures cimport holds
from wengert._core.capture.single cimport old_storage, ordinary_node
from wengert._core.graph.node cimport Edge, Node, new_edge, set_up
from wengert._core.leaves.accumulate cimport gradient_edge
from wengert._core.state.modes cimport Modes, Pass, current
from wengert._core.tensor.base cimport Tensor, share, wrap
from wengert._core.tensor.storage cimport Storage

cdef object NOTHING

cdef class BackwardList:
    cdef public int64_t count, wanted, arrived, replays
    cdef public object entries, result, steps, calls, ends
    cdef public tuple foreign, layouts, grads, fills, owners, used, held

cdef class Segment:
    cdef public tuple steps, live, outputs, origins, arrivals, shared, parts, reads, registers, checks, inputs
    cdef public int64_t offset
    cdef public object frees, passes, recipe
    cdef public list lists
    cdef public bint ordinary, takes_nothing

@cython.no_gc
cdef class CompiledFunctionBackward(Node):
    cdef public Segment segment
    cdef public list kept, stores, versions, expanded, results
    cdef public tuple outer
    cdef public int64_t first
    cdef public bint unlike, followed
    cdef public object freed, ran, reported, ordinary

@cython.locals(modes=Modes, segment=Segment, wanted=int64_t, arrived=int64_t, known=BackwardList)
cpdef object apply(CompiledFunctionBackward node, list grads)
@cython.locals(passing=Pass, edge=Edge, other=Node, nr=int64_t)
cpdef object replace(CompiledFunctionBackward node, list ends)
@cython.locals(segment_node=CompiledFunctionBackward)
cpdef tuple edges_of(Node node)
@cython.locals(end=Edge)
cpdef object redirect(Edge edge, CompiledFunctionBackward node, list ends)
cpdef object lead(Edge edge, Node node, int64_t nr, tuple space)
cpdef object free(Node node)

@cython.no_gc
cdef class Root(Node):
    cdef public list grads, copied

cpdef Tensor copy_of_grad(Tensor grad)

@cython.no_gc
cdef class Gate(Node):
    cdef public object grad
    cdef public bint owned

@cython.locals(count=int64_t, every=int64_t, passing=Pass)
cpdef int64_t wanted_of(Node node, Modes modes) except? -1
@cython.locals(segment=Segment, passing=Pass, word=int64_t, edge=Edge, at=int64_t)
cpdef int64_t arrived_at(CompiledFunctionBackward node, Modes modes) except? -1
@cython.locals(passing=Pass, edge=Edge)
cpdef bint meets_parts(CompiledFunctionBackward node, Modes modes) except -1
@cython.locals(task=Task)
cpdef bint has_arrived(Tasks tasks, Edge edge) except -1
@cython.locals(segment=Segment, grad=Tensor, at=int64_t)
cpdef bint is_usual(CompiledFunctionBackward node, list grads, Modes modes) except -1
@cython.locals(kept=list, stores=list, storage=Storage, edge=Edge, leaf=Tensor, number=int64_t, at=int64_t)
cpdef bint is_unchanged(CompiledFunctionBackward node, Segment segment) except -1
@cython.locals(grad=Tensor, at=int64_t)
cpdef bint fits(BackwardList known, list grads) except -1
@cython.locals(kept=list, values=list, owners=list, grad=Tensor, number=int64_t, register=int64_t, at=int64_t, built=dict, storages=dict, outgoing=list)
cpdef object run_list(CompiledFunctionBackward node, BackwardList known, list grads)
@cython.locals(storage=Storage)
cpdef object disown(Tensor grad)
cpdef Tensor saved_tensor(object array)

cdef class Connections:
    cdef public tuple sources, dtypes, stores, finals, segments, results, steps
    cdef public int64_t count
    cdef public bint higher
    cdef public object position, natives

@cython.locals(modes=Modes, first=int64_t, edges=list, unlike=bint, stores=list, versions=list, results=list, storage=Storage, at=int64_t, segment=Segment, node=CompiledFunctionBackward, tensor=Tensor)
cpdef object connect(Connections graph, list values, list owners, dict built, dict storages)
@cython.locals(node=CompiledFunctionBackward)
cpdef CompiledFunctionBackward new_segment_node(Segment segment, list kept, list edges, int64_t first)
@cython.locals(unlike=bint, tensor=Tensor, edge=Edge, at=int64_t)
cpdef bint add_outer(Connections graph, list owners, list edges) except -1
@cython.locals(nr=int64_t, output=tuple)
cpdef object add_outputs(Segment segment, Node node, list edges)
@cython.locals(owner=Tensor)
cpdef object store_of(tuple place, list owners, dict storages)
