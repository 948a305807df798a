cimport cython
from wengert._core cimport collected
from wengert._core.tensor.base cimport Tensor
from wengert._core.graph.node cimport Edge, Node

cpdef object run(Node node, list grads, bint runs, list captures, list captured)
cpdef object capture(list captures, list grads, list captured)
@cython.locals(edge=Edge)
cpdef object retain(Tensor tensor)
@cython.locals(before=Edge)
cpdef object retain_at(Tensor tensor, Edge edge)
