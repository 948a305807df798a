cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport collected, door, flags
from wengert._core.leaves.accumulate cimport gradient_edge
from wengert._core.tensor.base cimport Tensor, share, wrap
from wengert._core.backward.arrivals cimport project
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport Edge, Node, expandable, new_edge, set_up
from wengert._core.graph.refused cimport ErrorNode, new_refusal
from wengert._core.recording.saved cimport Saved, SavedInput, SavedOutput, SavedPacked, is_as_saved

cdef class FunctionNode(Node):
    cdef public list edge_numbers, output_spaces, output_recorded
    cdef public tuple kept_tensors, kept_origins
    cdef public bint kept_given, materialize_grads, _materialize_non_diff_grads
    cdef public object needs_input_grad, to_save, saved_for_forward, dirty_tensors, non_differentiable

cdef object SHOWN_EDGE

@cython.locals(edge=Edge)
cpdef Edge function_edge(FunctionNode node, int64_t nr, Tensor out)

@cython.locals(result=list, nr=int64_t)
cpdef list materialized(FunctionNode node, list grads)
@cython.locals(results=tuple, numbers=list, wanted=int64_t, grads=list, at=int64_t, number=int64_t, edge=Edge)
cpdef list outgoing(FunctionNode node, object result)
@cython.locals(tensors=list, modes=Modes, grad=bint, mask=int64_t, saved=Saved, at=int64_t)
cpdef tuple unpack_all(FunctionNode node, tuple kept)
@cython.locals(saved_input=SavedInput)
cpdef object living(FunctionNode node, Saved saved, int64_t at)
@cython.locals(at=int64_t)
cpdef bint is_nothing(tuple results, int64_t start) except -1
cpdef object check_space(FunctionNode node, Tensor grad, Edge edge, int64_t number, int64_t at)

@cython.no_gc
cdef class ViewWrite(Node):
    cdef public FunctionNode inner
    cdef public int64_t number

cpdef list in_front(list entries, int64_t number)

@cython.locals(node=ErrorNode, results=list, tensor=Tensor)
cpdef tuple refuse_derivative(tuple tensors, list sources, str text)
