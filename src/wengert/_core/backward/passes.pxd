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

cpdef object as_sequence(object value)
cpdef object cotangents(object value, long count)
cpdef Edge edge_of(object each)
@cython.locals(grads=list, known=Tensor)
cpdef list starting_gradients(object tensors, object given)
cpdef object unit_of(Tensor tensor)
@cython.locals(roots=list, grads=list)
cpdef tuple start(object tensors, list given, bint constants)
cpdef bint is_postponed(Tensor cotangent) except -1
@cython.locals(grad_output=Tensor)
cpdef bint is_like(object cotangent, Tensor tensor) except -1
cpdef Tensor cotangent_of(long at, tuple shape, object dtype, object cotangent)
cpdef object check_cotangent(long at, tuple shape, object dtype, object cotangent)
