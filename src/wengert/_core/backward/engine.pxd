cimport cython
from wengert._core cimport door, flags
from wengert._core.leaves cimport hooked
from wengert._core.tensor cimport slots
from wengert._core.leaves.accumulate cimport AccumulateGrad, accumulate, add_into, run_after_accumulate, run_leaf_hooks
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.meta cimport AutogradMeta
from wengert._core.state.modes cimport Modes, Pass, current
from wengert._core.graph cimport origins
from wengert._core.graph.node cimport Edge, Node, WideEdge, expandable
from wengert._core.backward.ready cimport Ready, new_ready
from wengert._core.recording.recorded cimport ViewNode
from wengert._core.writes.slices cimport add_to_part
from wengert._core.tensor.storage cimport next_serial
from wengert._core.backward.task cimport Task, Tasks, is_alone, is_own, new_tasks

cdef long NEVER, FOUND, ENTERED, LEFT

@cython.locals(tasks=Tasks, edge=Edge, at=long, node=Node, task=Task)
cpdef Tasks count_uses(list roots)
cdef long MOST_SPARED
@cython.locals(edge=Edge, at=long)
cpdef object mark_edges(Node node, Task task, Tasks tasks)
@cython.locals(task=Task, node=Node, edge=Edge, at=long, stack=list)
cpdef object mark_wanted(Tasks tasks, list roots, list captures, bint accumulating)
@cython.locals(modes=Modes, tasks=Tasks, found=list, begun=Pass, swept=bint)
cpdef list run(list roots, list grads, bint keep_graph, bint create_graph, list captures, bint accumulating)
@cython.locals(ready=Ready, edge=Edge, task=Task, at=long)
cpdef Ready seed(Tasks tasks, list roots, list grads)
@cython.locals(ready=Ready, task=Task, node=Node, modes=Modes, plain=bint, born=long)
cpdef object sweep(Tasks tasks, list roots, list grads, bint keep_graph, bint create_graph, list found, bint accumulating)
@cython.locals(edge=Edge, source=Task)
cpdef bint joined(ViewNode node, Task task, Tasks tasks) except -1
@cython.locals(grads=list, passing=Pass)
cpdef object process(Node node, Task task, list found, bint create_graph)
cpdef bint is_empty(list grads) except -1
@cython.locals(variable=Tensor, meta=AutogradMeta, first=bint, owned=bint)
cpdef object leaf(AccumulateGrad node, Task task, bint create_graph, list found, bint accumulating)
@cython.locals(edges=tuple, count=long, edge=Edge, task=Task, at=long, first=bint)
cpdef object deliver(Node node, object outgoing, Task done, Tasks tasks, Ready ready, long born)
cpdef object arrive(Task task, Edge edge, object grad, bint owned)
@cython.locals(modes=Modes, plain=bint)
cpdef object join(Tensor known, Tensor grad, bint owned)
cpdef bint is_writable(Tensor tensor) except -1
@cython.locals(given=Tensor, larger=bint)
cpdef object project(object grad, Edge edge, Node node, long index)
