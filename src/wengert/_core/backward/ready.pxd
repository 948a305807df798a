cimport cython
from wengert._core.graph.node cimport Node

cdef class Ready:
    cdef public list heap
    cdef public Node newest
    @cython.locals(first=Node)
    cpdef object push(self, Node node)
    @cython.locals(first=Node)
    cpdef Node pop(self)

@cython.locals(at=long, up=long, parent=Node)
cpdef object sift_up(list heap, Node node)
@cython.locals(last=Node, size=long, newest=Node, at=long, down=long, child=Node, other=Node)
cpdef Node sift_down(list heap)
