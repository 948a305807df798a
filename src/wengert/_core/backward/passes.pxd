cimport cython
from libc.stdint cimport int64_t
from wengert._core.backward.engine cimport new_sweep, run
from wengert._core cimport door, flags
from wengert._core.calls cimport batching
from wengert._core.leaves cimport hooked
from wengert._core.aliasing cimport views
from wengert._core.leaves.accumulate cimport gradient_edge
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.graph.node cimport Edge, Node
from wengert._core.state.modes cimport Modes, current

cdef dict ONES

cpdef tuple as_sequence(object value)
cpdef tuple grad_outputs_of(object value, int64_t count)
@cython.locals(tensor=Tensor)
cpdef Edge edge_of(object value)
@cython.locals(grads=list, at=int64_t)
cpdef list starting_gradients(tuple tensors, tuple grad_outputs)
@cython.locals(known=Tensor, fits=bint)
cpdef object starting_gradient(int64_t at, object tensor, object grad_output)
cpdef object unit_of(Tensor tensor)
@cython.locals(roots=list, grads=list, at=int64_t)
cpdef tuple start(tuple tensors, list grad_outputs, bint constants)
cpdef bint is_postponed(Tensor grad_output) except -1
@cython.locals(typed=Tensor)
cpdef bint is_like(object grad_output, Tensor tensor) except -1
cpdef Tensor grad_output_of(int64_t at, tuple shape, object dtype, object grad_output)
cpdef object one(object dtype)
cpdef object check_grad_output(int64_t at, tuple shape, object dtype, object grad_output)
@cython.locals(modes=Modes)
cpdef bint are_usual(object outputs, object inputs) except -1
@cython.locals(tensor=Tensor)
cpdef bint is_usual(object value) except -1
cpdef object run_followed(tuple outputs, object grad_outputs, object wanted, bint lasting, bint accumulating)
cpdef object begin_followed(tuple outputs, object wanted, bint create_graph)
