cimport cython
from wengert._core.graph.node cimport Edge, Node

@cython.locals(held=dict)
cpdef dict held_by_arguments(list calls)
@cython.locals(held=dict)
cpdef dict held_by_views(list calls)
cpdef list recorded_results(list calls)
@cython.locals(tensors=list)
cpdef list tensors_in(object values)
cpdef Node node_at(Edge edge)
