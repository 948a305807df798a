cimport cython
from libc.stdint cimport int64_t
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport Node, set_up

@cython.no_gc
cdef class ErrorNode(Node):
    cdef public str title, text

@cython.locals(modes=Modes, node=ErrorNode)
cpdef ErrorNode new_refusal(str title, str text, tuple edges, int64_t outputs)
