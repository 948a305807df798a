cimport cython
from wengert._core.backward.engine cimport new_sweep, run
from wengert._core cimport door, flags
from wengert._core.calls cimport batching
from wengert._core.leaves cimport hooked
from wengert._core.aliasing cimport views
from wengert._core.leaves.accumulate cimport gradient_edge
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.graph.node cimport Edge, Node
from wengert._core.state.modes cimport current

cdef dict ONES

cpdef tuple as_sequence(object value)
cpdef tuple cotangents(object value, long count)
@cython.locals(tensor=Tensor)
cpdef Edge edge_of(object each)
@cython.locals(grads=list, at=long)
cpdef list starting_gradients(tuple tensors, tuple given)
@cython.locals(known=Tensor, fits=bint)
cpdef object starting_gradient(long at, object tensor, object cotangent)
cpdef object unit_of(Tensor tensor)
@cython.locals(roots=list, grads=list, at=long)
cpdef tuple start(tuple tensors, list given, bint constants)
cpdef bint is_postponed(Tensor cotangent) except -1
@cython.locals(grad_output=Tensor)
cpdef bint is_like(object cotangent, Tensor tensor) except -1
cpdef Tensor cotangent_of(long at, tuple shape, object dtype, object cotangent)
cpdef object one(object dtype)
cpdef object check_cotangent(long at, tuple shape, object dtype, object cotangent)
cpdef object begin_followed(tuple outputs, object wanted, bint create_graph)
