cimport cython
from libc.stdint cimport int64_t
from wengert._core.graph.node cimport Node

@cython.final
cdef class Ready:
    cdef public list heap
    cdef public int64_t size
    cdef public Node newest
    @cython.locals(first=Node)
    cpdef object push(self, Node node)
    @cython.locals(first=Node)
    cpdef Node pop(self)
    @cython.locals(heap=list, at=int64_t, up=int64_t, parent=Node)
    cpdef object sift_up(self, Node node)
    @cython.locals(heap=list, newest=Node, size=int64_t, last=Node, at=int64_t, down=int64_t, child=Node, other=Node)
    cpdef Node sift_down(self)

@cython.locals(ready=Ready)
cpdef Ready new_ready()
