cimport cython
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
    cdef public long count, wanted, arrived, replays
    cdef public object entries, result, steps, calls, ends
    cdef public tuple foreign, layouts, grads, fills, owners, used, held

cdef class Segment:
    cdef public tuple steps, live, outputs, origins, arrivals, shared, parts, reads, registers, checks, inputs
    cdef public long offset
    cdef public object frees, passes, recipe
    cdef public list lists
    cdef public bint ordinary, takes_nothing

@cython.no_gc
cdef class CompiledFunctionBackward(Node):
    cdef public Segment segment
    cdef public list kept, stores, versions, expanded, results
    cdef public tuple outer
    cdef public long first
    cdef public bint unlike, followed
    cdef public object freed, ran, reported, ordinary

@cython.locals(modes=Modes, segment=Segment, wanted=long, arrived=long, known=BackwardList)
cpdef object apply(CompiledFunctionBackward node, list grads)
@cython.locals(passing=Pass, edge=Edge, other=Node, nr=long)
cpdef object replace(CompiledFunctionBackward node, list ends)
@cython.locals(segment_node=CompiledFunctionBackward)
cpdef tuple edges_of(Node node)
@cython.locals(end=Edge)
cpdef object redirect(Edge edge, CompiledFunctionBackward node, list ends)
cpdef object lead(Edge edge, Node node, long nr, tuple space)
cpdef object free(Node node)

@cython.no_gc
cdef class Root(Node):
    cdef public list grads, copied

cpdef Tensor copy_of_grad(Tensor grad)

@cython.no_gc
cdef class Gate(Node):
    cdef public object grad
    cdef public bint owned

@cython.locals(count=long, every=long, passing=Pass)
cpdef long wanted_of(Node node, Modes modes) except? -1
@cython.locals(segment=Segment, passing=Pass, word=long, edge=Edge, at=long)
cpdef long arrived_at(CompiledFunctionBackward node, Modes modes) except? -1
@cython.locals(passing=Pass, edge=Edge)
cpdef bint meets_parts(CompiledFunctionBackward node, Modes modes) except -1
@cython.locals(task=Task)
cpdef bint has_arrived(Tasks tasks, Edge edge) except -1
@cython.locals(segment=Segment, grad=Tensor, at=long)
cpdef bint is_usual(CompiledFunctionBackward node, list grads, Modes modes) except -1
@cython.locals(kept=list, stores=list, storage=Storage, edge=Edge, leaf=Tensor, number=long, at=long)
cpdef bint is_unchanged(CompiledFunctionBackward node, Segment segment) except -1
@cython.locals(grad=Tensor, at=long)
cpdef bint fits(BackwardList known, list grads) except -1
@cython.locals(kept=list, values=list, owners=list, grad=Tensor, number=long, register=long, at=long, built=dict, storages=dict, outgoing=list)
cpdef object run_list(CompiledFunctionBackward node, BackwardList known, list grads)
@cython.locals(storage=Storage)
cpdef object disown(Tensor grad)
cpdef Tensor saved_tensor(object array)

cdef class Connections:
    cdef public tuple sources, dtypes, stores, finals, segments, results, steps
    cdef public long count
    cdef public bint higher
    cdef public object position, natives

@cython.locals(modes=Modes, first=long, edges=list, unlike=bint, stores=list, versions=list, results=list, storage=Storage, at=long, segment=Segment, node=CompiledFunctionBackward, tensor=Tensor)
cpdef object connect(Connections graph, list values, list owners, dict built, dict storages)
@cython.locals(node=CompiledFunctionBackward)
cpdef CompiledFunctionBackward new_segment_node(Segment segment, list kept, list edges, long first)
@cython.locals(unlike=bint, tensor=Tensor, edge=Edge, at=long)
cpdef bint add_outer(Connections graph, list owners, list edges) except -1
@cython.locals(nr=long, output=tuple)
cpdef object add_outputs(Segment segment, Node node, list edges)
@cython.locals(owner=Tensor)
cpdef object store_of(tuple place, list owners, dict storages)
