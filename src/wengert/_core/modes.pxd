cimport cython
from wengert._core cimport door, flags

cdef class Pass:
    cdef public dict tasks
    cdef public object node
    cdef public bint partial
    cdef object __weakref__

cdef class Modes:
    cdef public bint grad, inference, multithreading, anomaly, check_nan, check_inf, noting
    cdef public long mask, word, fresh, sequence, depth
    cdef public object saved_hooks, no_saved_hooks, quiet
    cdef public list observers, listeners
    cdef public Pass passing
    cpdef bint set_grad(self, bint enabled)
    cpdef object switch(self, bint grad, bint inference)
    cpdef object set_anomaly(self, bint enabled)
    cpdef list listen(self, list listeners)
    cpdef object quietly(self, object function, object args, object keywords=*)
    cpdef object quietly_again(self, object function, object args, object keywords)
    cpdef bint is_entered(self) except -1
    @cython.locals(outer=Pass, begun=Pass)
    cpdef object begin_pass(self, dict tasks, bint partial)
    cpdef Pass this_pass(self)
    cpdef list observe(self, list observers)

cpdef Modes current()
