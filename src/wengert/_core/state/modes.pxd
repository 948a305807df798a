cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags

cdef class Pass:
    cdef public object tasks, node, sparing
    cdef public bint partial, grad, inference, multithreading
    cdef public int64_t depth, mask, word, fresh, spared
    cdef public Pass outer
    cdef public list callbacks, observers
    cdef public object saved_hooks, no_saved_hooks
    cdef object __weakref__
    @cython.locals(at=int64_t)
    cpdef object call_back(self)

cdef class Modes:
    cdef public bint grad, inference, multithreading, anomaly, check_nan, check_inf, noting, has_lock
    cdef public int64_t mask, word, fresh, sequence, depth, forward, profiled, overriding, transforms
    cdef public object saved_hooks, no_saved_hooks, quiet, debug, watch, log, casting, tape, cache
    cdef public list observers, listeners, levels, batches, functions
    cdef public Pass passing
    cdef public Modes starter
    cpdef bint set_grad(self, bint enabled)
    cpdef object switch(self, bint grad, bint inference)
    cpdef object set_anomaly(self, bint enabled)
    cpdef object set_debug(self, object debug)
    cpdef list listen(self, list listeners)
    cpdef object quietly(self, object function, object args, object keywords=*)
    cpdef object quietly_again(self, object function, object args, object keywords)
    cpdef bint is_entered(self) except -1
    @cython.locals(outer=Pass, result=Pass)
    cpdef Pass new_pass(self, object tasks, bint partial)
    @cython.locals(begun=Pass)
    cpdef object settle(self, bint grad)
    cpdef Pass this_pass(self)
    cpdef list observe(self, list observers)
    cpdef list override(self, list functions)
    cpdef object cast(self, object casting)
    cpdef object profile(self, object log)
    cpdef object profiling(self)
    @cython.locals(around=int64_t, number=int64_t)
    cpdef int64_t next_level(self) except? -1
    cpdef list enter(self, list levels)

cpdef Modes current()
@cython.locals(modes=Modes)
cpdef Modes acting()
@cython.locals(modes=Modes)
cdef Modes begun()
