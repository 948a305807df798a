cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport frames
from wengert._core.graph.node cimport Node
from wengert._core.state.modes cimport Modes

cdef class Debug:
    cdef public object scope, exits, latest
    cdef public int64_t passes

@cython.no_gc
cdef class Origin:
    cdef public object code, scope, name, reason, cuts, source, later
    cdef public int64_t offset
    cdef public bint is_cut

@cython.locals(origin=Origin)
cpdef Origin new_origin(object name, object reason)
@cython.locals(origin=Origin, debug=Debug)
cpdef Origin here(object name, object reason, Modes modes)
cpdef object of_node(Node node)
cpdef object put(Node node, Origin origin)
@cython.locals(known=Origin)
cpdef object freed(Node node, Origin by)
