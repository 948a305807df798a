cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.aliasing cimport views
from wengert._core.capture cimport direct
from wengert._core.capture.kept cimport is_same_view, origin_of, renew_view
from wengert._core.capture.matching cimport is_equal
from wengert._core.capture.signatures cimport Guard, guard_of, holds
from wengert._core.operators.declaration cimport Declaration
from wengert._core.state.modes cimport Modes
from wengert._core.tensor.base cimport Tensor, wrap_flagged
from wengert._core.tensor.storage cimport next_serial
from wengert._core.tensor.tapes cimport Cache

cdef int64_t NEVER

cdef class CachedCall:
    cdef public Declaration op
    cdef public tuple guards, facts, constants
    cdef public bint grad, is_short
    cdef public object calls, handle, layout
    cdef public tuple origin
    cdef public Tensor result
    cdef public list values
    cdef public CachedCall following, other

cpdef int64_t word_of(Guard guard, bint grad) except? -2
cpdef bint are_identical(tuple values, tuple others) except -1

cpdef bint keeps_results() except -1

cdef class CallCache(Cache):
    cdef public object replay_calls
    cdef public dict guards
    cdef public CachedCall first, last, stale
    cdef public int64_t count, kept, rounds, born
    cdef public bint is_busy
    @cython.locals(last=CachedCall, known=CachedCall)
    cpdef object run(self, object op, tuple args, Modes modes)
    @cython.locals(last=CachedCall, count=int64_t, known=CachedCall)
    cpdef object learn(self, object op, tuple args, Tensor result, Modes modes)
    @cython.locals(last=CachedCall, known=CachedCall)
    cpdef object run2(self, object op, object first, object second, Modes modes)
    cpdef object result_of(self, CachedCall known, object first)
    @cython.locals(size=int64_t)
    cpdef object cached(self, object op, tuple args, Tensor result, Modes modes)
    @cython.locals(known=CachedCall)
    cpdef object cached_view(self, object op, tuple args, Tensor view, Modes modes)
    @cython.locals(known=CachedCall, places=list, count=int64_t)
    cpdef object described(self, object op, tuple args, object array, Modes modes)
    @cython.locals(guards=list, constants=list)
    cpdef CachedCall prepared(self, object op, tuple args, Modes modes)
    @cython.locals(known=Guard)
    cpdef Guard guard(self, Tensor tensor)
    cpdef object layout(self, object array)

@cython.locals(guard=Guard, tensor=Tensor, place=int64_t, values=list, at=int64_t)
cpdef bint takes(CachedCall known, tuple args) except -1
@cython.locals(values=list, count=int64_t, result=Tensor, at=int64_t)
cpdef object run_again(CachedCall known)
@cython.locals(view=Tensor)
cpdef object take_again(CachedCall known, Tensor source)
cpdef int64_t kind_in(Modes modes) except? -1
cpdef object renew(CachedCall known, tuple args, Tensor result, Modes modes)
cpdef bint is_suitable(object op, object array) except -1
cpdef bint has_plain_arguments(tuple args) except -1
cpdef bint is_tuple_of_numbers(object value) except -1
