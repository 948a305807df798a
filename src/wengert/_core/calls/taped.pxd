cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door
from wengert._core.calls cimport dispatch
from wengert._core.graph.node cimport Edge
from wengert._core.operators cimport sources
from wengert._core.operators.declaration cimport Declaration
from wengert._core.recording.recorded cimport OpNode, save_all
from wengert._core.state.modes cimport Modes
from wengert._core.tensor cimport tapes
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.storage cimport Storage
from wengert._core.tensor.tapes cimport Tape

@cython.locals(calls=list, modes=Modes, noting=bint, at=int64_t)
cpdef object create_nodes(Tape tape)
@cython.locals(ends=tuple, mask=int64_t, several=bint, node=OpNode, nr=int64_t)
cpdef object attach(Declaration op, tuple args, object results, object edges, Modes modes)
cpdef object lead(Edge edge, OpNode node, int64_t nr, Tensor result)
@cython.locals(values=list, at=int64_t)
cpdef tuple without_tails(OpNode node, tuple saved)
@cython.locals(calls=list, at=int64_t)
cpdef bint uses(Tape tape, Storage storage) except -1
cpdef bint is_among(tuple values, Storage storage) except -1
@cython.locals(tensor=Tensor)
cpdef bint is_on(object value, Storage storage) except -1
