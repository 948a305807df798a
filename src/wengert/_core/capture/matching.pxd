cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door
from wengert._core.capture.segments cimport Connections
from wengert._core.capture.signatures cimport holds
from wengert._core.graph.node cimport Edge
from wengert._core.operators.declaration cimport Declaration
from wengert._core.tensor cimport tapes
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.tapes cimport Tape

cdef int64_t CONSTANT, NESTED, FIRST, NOWHERE, FEW, HOLDERS

cdef class ExpectedCall:
    cdef public Declaration op
    cdef public tuple places, constants, facts
    cdef public object outside
    cdef public object numbers
    cdef public object layout, tail, taken
    cdef public int64_t number, register
    cdef public bint shares, is_native, is_kept, is_short
    cdef public ExpectedCall following

@cython.locals(outside=list)
cpdef tuple outside_of(tuple places, tuple constants)

cdef class Pattern:
    cdef public list expected, guards
    cdef public ExpectedCall first
    cdef public object words
    cdef public tuple required, ends, kept, same, spaces, unused
    cdef public int64_t root, matches, failures
    cdef public Connections graph
    cdef public list cached, values
    cdef public object calls, handle, next, order
    cdef public bint is_busy

cdef class Match:
    cdef public Tape tape
    cdef public list externals, results

@cython.locals(holder=list, edge=Edge)
cpdef int64_t references_of_one_holder() except? -1
@cython.locals(match=Match)
cpdef Match new_match(Tape tape, int64_t count)
@cython.locals(calls=list, results=list, place=int64_t, expected=ExpectedCall)
cpdef bint fits(Pattern pattern, Match match) except -1
@cython.locals(nr=int64_t)
cpdef bint are_laid_out(object result, object layout) except -1
@cython.locals(externals=list, place=int64_t, at=int64_t)
cpdef bint fit(Pattern pattern, Match match, tuple places, tuple constants, object args) except -1
@cython.locals(tensor=Tensor)
cpdef bint bind(Pattern pattern, Match match, int64_t place, object value) except -1
@cython.locals(required=tuple, externals=list, at=int64_t, other=int64_t)
cpdef bint are_distinct(Pattern pattern, Match match) except -1
cpdef bint are_same(Pattern pattern, Match match) except -1
@cython.locals(result=Tensor)
cpdef bint are_unused(Pattern pattern, Match match, bint predicted) except -1
@cython.locals(tensor=Tensor)
cpdef object array_at(int64_t place, Match match)
cpdef bint is_laid_out(Tensor tensor, object layout) except -1
@cython.locals(at=int64_t)
cpdef bint is_equal(object one, object other) except -1
