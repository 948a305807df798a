cimport cython
from wengert._core cimport door, flags
from wengert._core.tensor cimport slots
from wengert._core.leaves.accumulate cimport add_into
from wengert._core.operators.overlap cimport overlaps
from wengert._core.tensor.base cimport Tensor
from wengert._core.state.modes cimport Modes, Pass, current
from wengert._core.graph cimport origins
from wengert._core.graph.node cimport Edge, Node, WideEdge, expandable
from wengert._core.backward.ready cimport Ready, new_ready
from wengert._core.backward.running cimport begin, profiled, step
from wengert._core.profiling cimport kinds
from wengert._core.profiling.events cimport Event, Log
from wengert._core.tensor.storage cimport next_serial
from wengert._core.backward.task cimport Task, Tasks, is_own, new_tasks

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
@cython.locals(ready=Ready, task=Task, node=Node, modes=Modes, log=Log, event=Event)
cpdef object sweep(Tasks tasks, list roots, list grads, bint keep_graph, bint create_graph, list found, bint accumulating)
@cython.locals(plain=bint, born=long)
cpdef object turn(Node node, Task task, Tasks tasks, Ready ready, list found, bint keep_graph, bint create_graph, bint accumulating, object by, Modes modes, Log log)
@cython.locals(edges=tuple, count=long, edge=Edge, task=Task, at=long, first=bint)
cpdef object deliver(Node node, object outgoing, Task done, Tasks tasks, Ready ready, long born)
cpdef object arrive(Task task, Edge edge, object grad, bint owned)
@cython.locals(modes=Modes, plain=bint)
cpdef object join(Tensor known, Tensor grad, bint owned)
cpdef bint is_writable(Tensor tensor) except -1
@cython.locals(given=Tensor, larger=bint)
cpdef object project(object grad, Edge edge, Node node, long index)
