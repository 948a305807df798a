cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door
from wengert._core.calls cimport dispatch
from wengert._core.calls.op cimport Op
from wengert._core.leaves cimport accumulate
from wengert._core.state.modes cimport Modes, current
from wengert._core.capture cimport direct
from wengert._core.capture.optimiser_steps cimport visit
from wengert._core.capture.outputs cimport build
from wengert._core.tensor cimport slots
from wengert._core.tensor.base cimport Tensor, meta_of, share, wrap_flagged
from wengert._core.tensor.meta cimport AutogradMeta
from wengert._core.tensor.storage cimport Storage, count, next_serials

cdef class Nested:
    cdef public tuple places, values
    cdef public object sequence

cdef class Entry:
    cdef public int64_t kind
    cdef public object native, op, origin, renewals
    cdef public tuple args, places, constants, outs, layouts, frees, groups, counts
    cdef public bint several, simple, lasting, runs_native, draws, uncertain
    cdef public str title

cdef class Written:
    cdef public int64_t place, owner, number

cdef class CallList:
    cdef public list by_python, writes
    cdef public object entries, function, native, stopwatch
    cdef public object offers, written

@cython.locals(entry=Entry, by_python=list, count=int64_t, at=int64_t, first=int64_t, register=int64_t, stopped=int64_t)
cpdef int64_t run(CallList calls, list values, list owners, dict built, dict storages) except -2
cpdef bint run_entry(Entry entry, list values, list owners, dict built, dict storages) except -1
@cython.locals(change=Written)
cpdef object count_written(CallList calls, int64_t first, int64_t end, list owners)
@cython.locals(_=int64_t)
cpdef object count_writes(Tensor owner, int64_t number)
@cython.locals(leaf=int64_t, before=int64_t, count=int64_t, at=int64_t, meta=AutogradMeta)
cpdef object assign(Entry entry, list values, list owners, dict built, dict storages)
cpdef bint call(Entry entry, list values, Modes modes) except -1
cpdef bint step(Entry entry, list values, Modes modes) except -1
@cython.locals(result=list, places=tuple, place=int64_t, at=int64_t)
cpdef tuple arguments(Entry entry, list values)
@cython.locals(result=list, place=int64_t, at=int64_t)
cpdef list sequence_of(Nested nested, list values)
@cython.locals(result=list, places=tuple, storages=dict, known=dict, place=int64_t, group=int64_t, at=int64_t)
cpdef tuple tensors(Entry entry, list values)
@cython.locals(result=list, place=int64_t, at=int64_t)
cpdef object sequence_of_tensors(Nested nested, list values)
@cython.locals(outs=tuple, layouts=tuple, register=int64_t, at=int64_t)
cpdef bint stored(Entry entry, list values, object result) except -1
cpdef bint has_layout(object array, object layout) except -1
cpdef object layout_of(object array)
@cython.locals(last=int64_t)
cpdef bint fits_scratch(object array) except -1
cpdef object on_scratch(object array)
cpdef object new_layout(object array)
cpdef object copy_of(object array)
cpdef object strided(object array, int64_t offset, tuple shape, tuple strides, object dtype)
