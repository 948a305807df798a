cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.backward.task cimport Task
from wengert._core.graph.node cimport Edge, Node, WideEdge, expandable
from wengert._core.leaves.accumulate cimport add_into
from wengert._core.operators.overlap cimport overlaps
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor cimport slots
from wengert._core.tensor.base cimport Tensor

cpdef object arrive(Task task, Edge edge, object grad, bint owned)
@cython.locals(modes=Modes, plain=bint)
cpdef object join(Tensor known, Tensor grad, bint owned)
cpdef bint is_writable(Tensor tensor) except -1
@cython.locals(tensor=Tensor, larger=bint)
cpdef object project(object grad, Edge edge, Node node, int64_t index)
