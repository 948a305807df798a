from libc.stdint cimport int64_t
from wengert._core cimport flags, vectorcall
from wengert._core.calls.dispatch cimport computed, finish, perform, run_followed
from wengert._core.operators cimport promotion
from wengert._core.operators.declaration cimport Declaration, bind, read_plain
from wengert._core.state.modes cimport Modes
from wengert._core.tensor cimport slots
from wengert._core.tensor.base cimport Tensor

cdef class Op(Declaration):
    cdef object run(self, tuple args)
    cpdef object complete(self, tuple args, int64_t word, Modes modes)
    cpdef object conclude(self, tuple args, object output, int64_t word, Modes modes)

cpdef object begin_calls(Op op)
cpdef object run_bound(Op op, tuple args)
