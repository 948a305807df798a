cimport cython
from libc.stdint cimport int64_t
from wengert._core.bits cimport bit
from wengert._core.operators cimport sources
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.slots cimport Operator

cdef class Declaration(Operator):
    cdef void *vectorcall  # see vectorcall.pxd
    cdef public str name
    cdef public object body, writer, native, promotion, node_class, choose_node, nodes, latest_plan, tail, random
    cdef public tuple names, defaults, after1, after2, kinds, tensor_slots, plain_slots, switches, wholes, scalars, numbers, grad_slots, constants, forward_slots, rules, output_names, differentiable
    cdef public dict aliases, plans, chosen_nodes
    cdef public frozenset accepts
    cdef public int64_t tensor_bits, positional, spread, list_slot, dtype_slot, apart, layout, sees
    cdef public bint view, several, allows_larger, lone_numbers, overwrites, takes_out

@cython.locals(count=int64_t, every=tuple, values=dict)
cpdef object fill_signature(Declaration op, object body)
@cython.locals(kinds=list, tensors=list, grads=list, plain=list, switches=list, wholes=list, scalars=list, aliases=dict)
cpdef object fill_kinds(Declaration op, dict annotations)
cpdef object take_over(Declaration derived, Declaration op)
@cython.locals(count=int64_t, spread=int64_t, bound=list, forms=dict)
cpdef tuple bind(Declaration op, tuple args, dict kwargs)
@cython.locals(at=int64_t)
cpdef tuple read_plain(Declaration op, tuple values)
cpdef object check_scalar(str name, str argument, int64_t position, str annotation, object value)
cpdef object check_range(Declaration op, tuple values, int64_t at)
cpdef bint is_whole(object value) except -1
cpdef bint holds_tensor(object values) except -1
@cython.locals(result=list)
cpdef tuple replaced(Declaration op, tuple values)
cpdef object number_of(Declaration op, int64_t at, Tensor tensor)
