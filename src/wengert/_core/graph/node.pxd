cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport freeing
@cython.no_gc
cdef class Edge:
    cdef readonly Node node
    cdef readonly int64_t nr
    cdef readonly tuple shape
    cdef readonly object dtype
    cdef object leaf

@cython.no_gc
cdef class WideEdge(Edge):
    pass

@cython.no_gc
cdef class Node:
    cdef public tuple next_edges
    cdef public int64_t sequence_number
    cdef public int64_t output_count
    cdef public object node_hooks, node_notes
    cdef public bint trusted_gradients
    cdef object running_task
    cdef object __weakref__
    cdef object apply(self, list grads)
    cdef object apply_single(self, object grad)
    cdef object consume(self, object grad, bint owned)
    cpdef object keep(self, object leaf)
    cdef object show(self, Edge edge)
    cdef object release(self)
    cdef bint allows_larger(self) except -1

@cython.locals(node=Node)
cpdef tuple origin_at(Edge edge)
@cython.locals(edge=Edge)
cpdef Edge new_edge(Node node, int64_t nr, tuple shape, object dtype)
@cython.locals(node=Node)
cpdef Node end_of(Edge edge)
cpdef void set_up(Node node, tuple edges, int64_t sequence, int64_t outputs)
cpdef bint expandable(tuple shape, tuple larger) except -1
