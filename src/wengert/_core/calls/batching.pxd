cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.operators cimport batch_rules
from wengert._core.operators.declaration cimport Declaration
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor cimport batches, tangents
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.batches cimport Batch

@cython.locals(level=Batch)
cpdef object call(Declaration op, tuple args, int64_t word, Modes modes)
@cython.locals(wholes=list, carried=list, constant=bint)
cpdef object computed(object op, tuple args, Batch level)
@cython.locals(tensor=Tensor, steps=list, shape=tuple, around=list)
cpdef object members_together(object whole)
cpdef object run_rule(object op, list wholes, list carried, Batch level, tuple args)
@cython.locals(modes=Modes, before=list)
cpdef object drawn(object op, list wholes, list carried, Batch level, tuple args)
cpdef object same_draws(object op, tuple args)
cpdef object alike(object op, list wholes, list carried, Batch level)
cpdef object spread(object value, Batch level)
@cython.locals(latest=Batch)
cpdef Batch newest(Declaration op, tuple args)
@cython.locals(levels=list, lifted_args=list)
cpdef tuple lifted(object op, tuple args)
@cython.locals(values=list)
cpdef list all_levels(object op, tuple args)
@cython.locals(levels=list, level=Batch, at=int64_t)
cpdef list levels_among(list values)
cpdef object lift_recorded(object value, list levels)
cpdef object lift(object value, list levels)
@cython.locals(position=int64_t)
cpdef tuple drawing_apart(object op, tuple args, Modes modes)
@cython.locals(level=Batch, others=list, carried=list, at=int64_t)
cpdef object write(object op, tuple args)
cpdef bint is_carried(object op, tuple args, Batch level, int64_t start) except -1
cpdef object check_space(object result, object whole, Tensor target)
@cython.locals(level=Batch, result=Tensor)
cpdef object rearranged(object op, tuple args)
cpdef Tensor copied(Tensor tensor)
cpdef object zeros(Tensor tensor)
cpdef object left(object value, Batch level, int64_t dim)
cpdef bint depends(Tensor value, Batch level) except -1
@cython.locals(oldest_first=list)
cpdef object spread_out(object value, list levels)
