cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport flags
from wengert._core.backward.arrivals cimport arrive, project
from wengert._core.backward.ready cimport Ready, new_ready
from wengert._core.backward.task cimport Task, Tasks, count_uses, is_alone, is_own, mark_wanted
from wengert._core.graph cimport origins
from wengert._core.graph.node cimport Edge, Node, new_edge
from wengert._core.leaves cimport hooked
from wengert._core.leaves.accumulate cimport AccumulateGrad, accumulate, leaf_of, run_after_accumulate, run_leaf_hooks
from wengert._core.profiling cimport kinds
from wengert._core.profiling.events cimport Event, Log
from wengert._core.recording.recorded cimport OpNode, ViewNode
from wengert._core.state.modes cimport Modes, Pass, current
from wengert._core.tensor cimport slots
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.meta cimport AutogradMeta
from wengert._core.tensor.storage cimport next_serial
from wengert._core.writes.slices cimport add_to_part

cdef int64_t NEVER

@cython.final
cdef class Sweep:
    cdef bint keep_graph, create_graph, accumulating
    cdef list captures, results
    cdef Tasks tasks
    cdef Ready ready
    cdef Modes modes
    cdef int64_t born
    cdef object origin
    @cython.locals(edge=Edge, task=Task, at=int64_t)
    cpdef object seed(self, list roots, list grads)
    @cython.locals(node=Node, task=Task)
    cpdef object run(self)
    @cython.locals(plain=bint, profiled=bint)
    cpdef object visit(self, Node node, Task task)
    @cython.locals(edges=tuple, at=int64_t, edge=Edge, task=Task, owned=bint)
    cpdef object deliver(self, Node node, Task done, object outgoing)
    cpdef object free(self, Node node)
    cpdef object step(self, Node node, Task task)
    @cython.locals(grads=list, passing=Pass)
    cpdef object process(self, Node node, Task task)
    @cython.locals(edge=Edge, source=Task)
    cpdef bint joined(self, ViewNode node, Task task) except -1
    @cython.locals(variable=Tensor, meta=AutogradMeta, first=bint, owned=bint)
    cpdef object leaf(self, AccumulateGrad node, Task task)
    @cython.locals(log=Log, event=Event)
    cpdef object profiled(self, int64_t kind, Node node, Task task)

@cython.locals(result=list, edge=Edge)
cpdef list fixed(list roots)
@cython.locals(modes=Modes, partial=bint, begun=Pass, swept=bint)
cpdef list run(Sweep sweep, list roots, list grads)
@cython.locals(sweep=Sweep)
cpdef Sweep new_sweep(bint keep_graph, bint create_graph, list captures, bint accumulating)
@cython.locals(sequence=int64_t, event=Event)
cpdef Event begin(Log log, int64_t kind, Node node, Task task)
cpdef object grad_of(AccumulateGrad node)
cpdef bint is_empty(list grads) except -1
