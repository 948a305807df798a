cimport cython
from libc.stdint cimport int64_t
from wengert._core.bits cimport all_below
from wengert._core cimport door, flags
from wengert._core.capture.lists cimport CallList
from wengert._core.capture.matching cimport Match, Pattern, array_at
from wengert._core.capture.outputs cimport Nest, Output, fresh_tensor
from wengert._core.capture.segments cimport BackwardList, Connections, Segment, fits
from wengert._core.leaves.accumulate cimport AccumulateGrad, accumulate, noted
from wengert._core.state.modes cimport Modes
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.tensor.meta cimport AutogradMeta

cdef dict UNITS

@cython.locals(segment=Segment, root=Tensor, grads=list, known=BackwardList)
cpdef object gradients(Pattern pattern, Match match, object grad_output)
@cython.locals(calls=CallList, values=list, number=int64_t, register=int64_t, edge=int64_t, held=Tensor, parts=tuple, result=list)
cpdef object run_alone(Pattern pattern, Match match, BackwardList known, Tensor grad_output)
cpdef bint are_all(list grads) except -1
cpdef tuple parts_of(Nest nest)
cpdef object unit_for(Tensor root)
@cython.locals(grad=Tensor)
cpdef object plain_one(object grad_output)
@cython.locals(leaf=Tensor, meta=AutogradMeta, node=AccumulateGrad, at=int64_t)
cpdef bint are_plain(Connections graph, Match match) except -1
@cython.locals(sources=tuple, externals=list, order=tuple, place=int64_t, at=int64_t)
cpdef object order_of(Pattern pattern, Match match, object inputs)
@cython.locals(sources=tuple, recording=bint, mask=int64_t, at=int64_t)
cpdef object deliver(Pattern pattern, list externals, list grads, Modes modes)
