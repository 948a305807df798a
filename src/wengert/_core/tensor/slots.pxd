cimport cython
from libc.stdint cimport int64_t

cdef class Operator:
    cdef object call1(self, object a)
    cdef object call2(self, object a, object b)
    cdef object call3(self, object a, object b, object c)

cdef class Operators:
    cdef public Operator abs, add, bitwise_and, bitwise_or, bitwise_xor, bitwise_not, conjugate, div, eq, floor_divide, ge, gt, le
    cdef public Operator lshift, lt, matmul, mul, ne, neg, pow, reciprocal, remainder, rshift, rsub, sub
    cdef public Operator iadd, iand, idiv, ifloor_divide, ilshift, imul, ior, ipow, iremainder, irshift, isub, ixor
    cdef public Operator getitem, setitem
    cdef public object add_into, converted, copy_into, copy_, construct, contains, contiguous, enter_batch, fill_, index, iterate, leave_batch, length, rebase, refresh, reshaped_view, resize, same_draws, select, slice, stack, unsqueeze, text, to_complex, to_integer, to_real, tracing

cdef Operators table
cdef int64_t watched
cdef set _recordings
cdef int64_t taping, caching
cdef list _tapes
cdef set _caches
cpdef object open_cache(object cache)
cpdef object close_cache(object cache)

cdef class TapeOwner:
    cpdef object settle_changed(self, object tape)
    cpdef object settle_written(self, object tape, object storage)

cpdef object open_tape(object tape)
cpdef object close_tape(object tape)
@cython.locals(owner=TapeOwner)
cpdef object settle_tapes()
@cython.locals(owner=TapeOwner)
cpdef object settle_written(object storage)
cpdef object watch(object recording, bint goes_on)
