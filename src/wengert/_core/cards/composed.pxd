cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.operators cimport sources
from wengert._core.profiling cimport events, kinds
from wengert._core.profiling.events cimport Event, Log
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.calls.attempts cimport attempt, call_or_decline, unrecorded
from wengert._core.calls.dispatch cimport flags_of
from wengert._core.calls.op cimport Op
from wengert._core.state.modes cimport Modes, current

cdef class PlainCase(Op):
    cdef public Op op
    cdef public object function, translate, places, guard
    cdef public tuple rest, prepare, further, then
    cdef public bint shaped, parted
    cdef object plain(self, tuple args)
    cdef object of_arrays(self, tuple args)

@cython.locals(modes=Modes)
cpdef object profiled(PlainCase case, tuple args)
cpdef object run_case(PlainCase case, tuple args)

@cython.locals(place=int64_t)
cpdef bint has_defaults(PlainCase case, tuple args) except -1
@cython.locals(tensor=Tensor)
cpdef bint may_be_seen(Op op, tuple args) except -1
@cython.locals(result=list, at=int64_t)
cpdef object translated(object function, tuple args)
@cython.locals(results=list)
cpdef object parts(PlainCase case, tuple args)
@cython.locals(values=list, place=int64_t)
cpdef object placed(PlainCase case, tuple args)
@cython.locals(place=int64_t, op=Op, rest=tuple, first=tuple)
cpdef object prepared(PlainCase case, list values)

cdef class Factory:
    cdef public object native, function
    cdef public bint draws
    @cython.locals(modes=Modes, values=tuple, result=Tensor)
    cdef object plain(self, tuple args, dict kwargs)

@cython.locals(modes=Modes, log=Log, event=Event)
cpdef object create_profiled(Factory factory, tuple args, dict kwargs)
cpdef object run_factory(Factory factory, tuple args, dict kwargs)
