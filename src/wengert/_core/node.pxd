cimport cython
@cython.no_gc
cdef class Edge:
    cdef readonly Node node
    cdef readonly long nr
    cdef readonly tuple shape
    cdef readonly object dtype

@cython.no_gc
cdef class Node:
    cdef public tuple edges
    cdef public long sequence
    cdef public long outputs
    cdef public object hooks, notes
    cdef public bint trusted
    cdef object __weakref__
    cdef object apply(self, list grads)
    cdef object apply_single(self, object grad)
    cdef object release(self)
    cdef bint allows_larger(self) except -1

@cython.locals(edge=Edge)
cpdef Edge new_edge(Node node, long nr, tuple shape, object dtype)
cpdef void set_up(Node node, tuple edges, long sequence, long outputs)
