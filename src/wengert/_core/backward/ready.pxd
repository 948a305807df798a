cimport cython
from wengert._core.graph.node cimport Node

@cython.final
cdef class Ready:
    cdef public list heap
    cdef public long size
    cdef public Node newest
    @cython.locals(first=Node)
    cpdef object push(self, Node node)
    @cython.locals(first=Node)
    cpdef Node pop(self)
    @cython.locals(heap=list, at=long, up=long, parent=Node)
    cpdef object sift_up(self, Node node)
    @cython.locals(heap=list, newest=Node, size=long, last=Node, at=long, down=long, child=Node, other=Node)
    cpdef Node sift_down(self)

@cython.locals(ready=Ready)
cpdef Ready new_ready()
