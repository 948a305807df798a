cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.operators cimport promotion, sources
from wengert._core.tensor cimport slots
from wengert._core.tensor.base cimport Tensor, share, wrap
from wengert._core.operators.declaration cimport Declaration
from wengert._core.operators.rules cimport Plan, Rule
from wengert._core.profiling.events cimport Log
from wengert._core.state.modes cimport Modes, Pass, current
from wengert._core.graph.node cimport Node
from wengert._core.recording.saved cimport Saved, save_input, save_output
from wengert._core.recording.saved_part cimport save_result

@cython.locals(count=int64_t, values=list, at=int64_t)
cpdef tuple save_all(Plan plan, tuple args, object results, Modes modes)
@cython.locals(source=int64_t, position=int64_t)
cpdef object save_value(Plan plan, int64_t at, tuple args, object results, Modes modes)
cpdef object save_argument(object value, Modes modes)
@cython.locals(values=list, at=int64_t)
cpdef tuple save_outputs(Plan plan, tuple saved, tuple results, Modes modes)
@cython.locals(tensor=Tensor)
cpdef object shapes_of(object value)

@cython.no_gc
cdef class OpNode(Node):
    cdef public Declaration op
    cdef public Plan plan
    cdef public tuple saved
    @cython.locals(saved=tuple)
    cdef list unpacked(self)

@cython.locals(saved=tuple, plan=Plan, outgoing=list, simple=bint, modes=Modes, spared=int64_t, values=list, rule=Rule, at=int64_t)
cpdef list run_rules(OpNode node, object grad_output)

@cython.no_gc
cdef class ViewNode(OpNode):
    cdef public tuple step

cpdef object unpack(object value, OpNode node)
cpdef Tensor unpack_tensor(Saved saved, Node node)
@cython.locals(count=int64_t)
cpdef object run_rule(Rule rule, object grad_output, list values, tuple arguments)
@cython.locals(first=int64_t)
cpdef bint hands_on(tuple saved, tuple arguments) except -1
@cython.locals(passing=Pass)
cpdef int64_t spared_by(OpNode node, Modes modes) except -1
cpdef tuple narrowed(Plan plan, tuple values, int64_t spared)
@cython.locals(slot=int64_t)
cpdef bint is_spared(Rule rule, int64_t spared) except -1
@cython.locals(at=int64_t)
cpdef object drop(list outgoing, int64_t spared)
cpdef object plain_gradient(object grad_output, Modes modes)
cpdef object arrays_in(object grad_output)
@cython.locals(at=int64_t, args=list)
cpdef object run_native(OpNode node, Rule rule, object arrays, tuple saved, tuple arguments)
@cython.locals(modes=Modes, args=list, at=int64_t)
cpdef object noted_native(OpNode node, Rule rule, object grad_output, tuple saved, tuple arguments)
cpdef object tensors_of(object result, Tensor grad)
cpdef object array_of(Tensor tensor)
@cython.locals(several=bint, arrays=list)
cpdef object plain_value(object value, OpNode node)
cpdef object plain_array(Saved saved, OpNode node)
cpdef object first_plain(tuple grads)
cpdef bint is_unusual(Tensor tensor) except -1
@cython.locals(whole=Tensor)
cpdef object gradient_of(object array, Tensor grad)
@cython.locals(tensor=Tensor)
cpdef object conjugate(object partial)
@cython.locals(list_slot=int64_t, extra=int64_t, index=int64_t, start=int64_t, slot=int64_t)
cpdef object place(OpNode node, list outgoing, Rule rule, object result)
