cimport cython
from libc.stdint cimport int64_t
from wengert._core.graph.node cimport Node

cpdef object fact_of(object value)
@cython.locals(tensors=list)
cpdef list kept_in(object values, bint parts=*)
cpdef int64_t kind_of(Node node) except? -1
cpdef list edges_of(Node node)
cpdef bint holds_tensor(object values) except -1
