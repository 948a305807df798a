cimport cython
from libc.stdint cimport int64_t
from wengert._core.bits cimport bit
from wengert._core cimport door, flags
from wengert._core.operators cimport layouts, sources
from wengert._core.aliasing cimport views
from wengert._core.aliasing.views cimport ViewInfo
from wengert._core.leaves.accumulate cimport gradient_edge
from wengert._core.operators.declaration cimport Declaration
from wengert._core.operators.forward_rules cimport Share, shares_for
from wengert._core.state.modes cimport Modes
from wengert._core.calls cimport batching, dual_memory
from wengert._core.tensor cimport tangents
from wengert._core.tensor.base cimport Tensor, share, wrap
from wengert._core.tensor.storage cimport next_serial
from wengert._core.tensor.tangents cimport Level, Tangent

@cython.locals(level=Level, steps=list, primals=tuple, results=tuple, announced=list, input_tangents=tuple, before=int64_t)
cpdef object call(Declaration op, tuple args, int64_t word, Modes modes)
cpdef bint is_flagged(Tensor tensor) except -1
@cython.locals(info=ViewInfo, base=Tensor, tangent=Tangent)
cpdef object adopt_one(Tensor view)
@cython.locals(tangent=Tangent)
cpdef bint is_awaited(Tensor tensor) except -1
cpdef bint is_missing(Tensor view, Level level) except -1
@cython.locals(level=Level)
cpdef Level innermost(Declaration op, tuple args, int64_t seen)
@cython.locals(tangent=Tangent)
cpdef Level inner_of(Tensor tensor, Level level, int64_t seen)
@cython.locals(primals=list)
cpdef tuple without(Declaration op, tuple args, Level level)
@cython.locals(own_tangents=list, some=bint)
cpdef object tangents_of(object value, Level level)
cpdef object primal_of(object value, Level level)
@cython.locals(tangent=Tangent, twin=Tensor)
cpdef Tensor stripped(Tensor tensor, Level level)
@cython.locals(noted=list, nr=int64_t, result=Tensor, known=Tangent, tangent=Tangent)
cpdef list announce(Declaration op, tuple results, Level level, object outer)
cpdef bint has_some(list noted) except -1
@cython.locals(tangent=Tangent, nr=int64_t)
cpdef object fill(list noted, tuple values, tuple results, int64_t before)
@cython.locals(other=Tensor)
cpdef bint is_among(Tensor value, list noted) except -1
cpdef object settle(Tensor result)
@cython.locals(mask=int64_t, slot=int64_t, sums=list, nr=int64_t)
cpdef tuple total(object op, tuple primals, tuple input_tangents, tuple results)
@cython.locals(slot=int64_t, position=int64_t)
cpdef object contribution(object op, Share part, tuple primals, tuple input_tangents, tuple results)
cpdef object mirrored(Share part, object tangent, list values, Tensor result)
cpdef object full(object tangent, object primal)
@cython.locals(source=int64_t, position=int64_t)
cpdef object argument(object op, Share part, int64_t at, tuple primals, tuple results)
