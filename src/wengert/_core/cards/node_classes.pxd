cimport cython
from wengert._core.operators.declaration cimport Declaration

cdef class NodeClasses:
    cdef public str name
    cdef public object node, choose, hides
    cdef public bint view
    cdef public dict saved, shown, classes
    cpdef object serve(self, Declaration op)
