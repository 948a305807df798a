cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport flags
from wengert._core.capture cimport direct
from wengert._core.capture.lists cimport CallList, Entry, run
from wengert._core.capture.outputs cimport build
from wengert._core.capture.segments cimport connect
from wengert._core.capture.signatures cimport External, found, kinship
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor cimport slots
from wengert._core.tensor.base cimport Tensor

cdef dict UNUSED
cdef int64_t MOST_COMPARED

cdef class Captured:
    cdef public list externals
    cdef public int64_t count, effects, replays
    cdef public bint draws, independent
    cdef public tuple twins, kin
    cdef public object entries, changing, groups, recent, registers, left, values
    cdef public object result, calls, graph
    @cython.locals(tensors=list, state=int64_t)
    cpdef object owners(self, object leaves)
    @cython.locals(values=list, built=dict, storages=dict, stopped=int64_t, modes=Modes, grad=bint, mask=int64_t)
    cpdef object replay(self, list owners)
    cpdef object rest(self, list values)
    @cython.locals(tensor=Tensor, external=External, at=int64_t)
    cpdef bint compares(self, list owners) except -1

cpdef bint is_again(object result) except -1
