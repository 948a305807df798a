cimport cython
from libc.stdint cimport int64_t
from wengert._core.profiling cimport clock, kinds
from wengert._core.state.modes cimport Modes
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.tensor.storage cimport Storage, next_serial

cdef int64_t opened
cpdef object count_open(int64_t change)

@cython.no_gc
cdef class Event:
    cdef public int64_t kind, begun, ended, depth, sequence, node, size
    cdef public object what, details, stack, modules

cdef class Log:
    cdef public list events, users
    cdef public int64_t depth, serial
    cdef public bint exact, keeping, more, modules, shapes, stacks, several
    cdef public object live, thread
    cdef public tuple emitters
    cdef object __weakref__
    @cython.locals(event=Event)
    cpdef Event begin(self, int64_t kind, object what, int64_t sequence, object args)
    cpdef Event begin_call(self, object op, object args, Modes modes)
    cpdef object end(self, Event event, object results)
    @cython.locals(events=list, kept=list, other=Event)
    cpdef object cancel(self, Event event)
    cpdef object call(self, Event event, object function, tuple args)
    cpdef object read(self, object value, str what)
    cpdef object island(self, object function, tuple args, dict kwargs)
    cpdef object tail(self, object loses, Tensor tensor)
    cpdef object leaf(self, object leaf)
    cpdef object decided(self, object function, object tensors, object constants, object result)
    cpdef object describe(self, Event event, object args)
    @cython.locals(tensor=Tensor)
    cpdef object conclude(self, Event event, object results)
    @cython.locals(size=int64_t)
    cpdef object note_memory(self, Storage storage, int64_t time)
    cpdef object freed(self, object reference)

@cython.locals(log=Log)
cpdef object logged(object op, tuple args, Modes modes, object function, tuple arguments)
cpdef object run_on_arrays(object function, tuple args)
cpdef int64_t next_number(Modes modes)
@cython.locals(event=Event)
cpdef Event memory_event(int64_t size, int64_t time, int64_t depth)
@cython.locals(details=list)
cpdef tuple details_of(object args)
@cython.locals(calls=list)
cpdef tuple calls_around()
@cython.locals(chain=list, names=list)
cpdef str modules_around()
