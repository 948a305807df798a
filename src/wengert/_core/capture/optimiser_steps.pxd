cimport cython
from wengert._core cimport door, flags
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor.base cimport Tensor
from wengert._core.writes.tensor_lists cimport arrays_of, counted, entries, with_gradients, written

cdef class GroupStep:
    cdef public object function, shrink
    cdef public dict group
    cdef public list params
    cdef public tuple facts, numbers, signs, columns, last
    cdef public str count

cdef class PlannedStep:
    cdef public dict owner, defaults
    cdef public long attributes
    cdef public tuple watched, empty
    cdef public object states
    cdef public list groups, steps

cdef class Island:
    cdef public object function, args, kwargs, planned
    cdef public long failures

cpdef object visit(Island island)
cpdef object plan_of(object optimizer)
@cython.locals(owner=dict, groups=list, part=GroupStep, parts=list, at=long, modes=Modes)
cpdef bint take(PlannedStep step) except -1
@cython.locals(group=dict, numbers=list, params=list, names=list)
cpdef object arguments_of(GroupStep part, object states)
@cython.locals(numbers=list, place=long)
cpdef object numbers_of(GroupStep part, dict group)
@cython.locals(tensor=Tensor)
cpdef bint have_complex(list tensors) except -1
@cython.locals(params=list, columns=list, numbers=list, arrays=list, passed=list, at=long)
cpdef object take_group(GroupStep part, tuple arguments, Modes modes)
