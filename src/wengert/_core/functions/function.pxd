cimport cython
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
cpdef Edge function_edge(FunctionNode node, long nr, Tensor out)

@cython.locals(result=list, nr=long)
cpdef list materialized(FunctionNode node, list grads)
@cython.locals(results=tuple, numbers=list, wanted=long, grads=list, at=long, number=long, edge=Edge)
cpdef list outgoing(FunctionNode node, object result)
@cython.locals(tensors=list, modes=Modes, grad=bint, mask=long, saved=Saved, at=long)
cpdef tuple unpack_all(FunctionNode node, tuple kept)
@cython.locals(saved_input=SavedInput)
cpdef object living(FunctionNode node, Saved saved, long at)
@cython.locals(at=long)
cpdef bint is_nothing(tuple results, long start) except -1
cpdef object check_space(FunctionNode node, Tensor grad, Edge edge, long number, long at)

@cython.no_gc
cdef class ViewWrite(Node):
    cdef public FunctionNode inner
    cdef public long number

cpdef list in_front(list entries, long number)

@cython.locals(node=ErrorNode, results=list, tensor=Tensor)
cpdef tuple refuse_derivative(tuple tensors, list sources, str text)
