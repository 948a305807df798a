cimport cython
from wengert._core.graph.node cimport Edge, Node
from wengert._core.leaves cimport hooked
from wengert._core.leaves.accumulate cimport AccumulateGrad, accumulate, run_after_accumulate, run_leaf_hooks
from wengert._core.profiling cimport kinds
from wengert._core.profiling.events cimport Event, Log
from wengert._core.recording.recorded cimport OpNode, ViewNode
from wengert._core.state.modes cimport Modes, Pass, current
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.meta cimport AutogradMeta
from wengert._core.writes.slices cimport add_to_part
from wengert._core.backward.task cimport Task, Tasks, is_alone

cpdef object step(Node node, Task task, Tasks tasks, list found, bint create_graph, bint accumulating, object by, Modes modes)
@cython.locals(event=Event)
cpdef object profiled(Node node, Task task, Tasks tasks, list found, bint create_graph, bint accumulating, object by, Modes modes, Log log)
@cython.locals(sequence=long, event=Event)
cpdef Event begin(Log log, long kind, Node node, Task task)
@cython.locals(edge=Edge, source=Task)
cpdef bint joined(ViewNode node, Task task, Tasks tasks) except -1
@cython.locals(grads=list, passing=Pass)
cpdef object process(Node node, Task task, list found, bint create_graph)
cpdef bint is_empty(list grads) except -1
@cython.locals(variable=Tensor, meta=AutogradMeta, first=bint, owned=bint)
cpdef object leaf(AccumulateGrad node, Task task, bint create_graph, list found, bint accumulating)
