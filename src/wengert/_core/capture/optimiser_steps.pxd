cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.capture cimport direct
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.storage cimport count
from wengert._core.writes.tensor_lists cimport arrays_of, entries, with_gradients

cdef class GroupStep:
    cdef public object function, shrink
    cdef public dict group
    cdef public tuple names, values, numbers, signs, columns, last, chosen
    cdef public list params, known, tensors, arrays, lists, counts
    cdef public str count

cdef class PlannedStep:
    cdef public dict owner, defaults
    cdef public int64_t attributes
    cdef public tuple watched, empty
    cdef public list groups, steps, mappings

cdef class Island:
    cdef public object function, args, kwargs, planned
    cdef public int64_t failures

cpdef object visit(Island island)
cpdef object plan_of(object optimizer)
@cython.locals(owner=dict, groups=list, part=GroupStep, grads=list, numbers=list, at=int64_t, modes=Modes)
cpdef bint take(PlannedStep step) except -1
@cython.locals(params=list, known=list, tensors=list, arrays=list, grads=list, param=Tensor, grad=Tensor, place=int64_t, at=int64_t)
cpdef object grads_of(GroupStep part)
@cython.locals(numbers=list, place=int64_t)
cpdef object numbers_of(GroupStep part, dict group)
@cython.locals(tensor=Tensor, last=int64_t, passed=list)
cpdef object take_group(GroupStep part, list grads, list numbers, Modes modes)
