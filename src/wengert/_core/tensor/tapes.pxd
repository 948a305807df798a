cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport flags
from wengert._core.forks cimport forks
from wengert._core.graph.node cimport Edge, Node, new_edge, set_up
from wengert._core.state.modes cimport Modes, acting, current
from wengert._core.tensor.base cimport Tensor
from wengert._core.tensor.storage cimport Storage

cdef int64_t PLAIN, FIELDS, MOST_CALLS, MOST_ELEMENTS

cdef class Predicting:
    cpdef object run(self, object op, tuple args)
    cpdef object run2(self, object op, object first, object second)
    cpdef bint takes(self, object op, tuple args, object result) except -1
    cpdef bint uses(self, Storage storage) except -1
    cpdef object end(self)

cdef class Cache:
    cpdef object run(self, object op, tuple args, Modes modes)
    cpdef object run2(self, object op, object first, object second, Modes modes)
    cpdef object learn(self, object op, tuple args, Tensor result, Modes modes)

@cython.no_gc
cdef class Tape(Node):
    cdef public list calls, edges
    cdef public Modes modes, changer
    cdef public int64_t process
    cdef public object follower, segment_node, passed, pattern, earlier
    cdef public Predicting predicting

@cython.locals(tape=Tape)
cpdef Tape new_tape(Modes modes, object follower)
cpdef bint is_quiet(Modes modes) except -1
@cython.locals(edge=Edge)
cpdef object put(Tape tape, object op, tuple args, Tensor result)
@cython.locals(edges=list, edge=Edge, result=Tensor, nr=int64_t)
cpdef object put_several(Tape tape, object op, tuple args, tuple results, object recorded)
cpdef list calls_in(list calls)
cpdef bint is_taped(Edge edge) except -1
cpdef object settle_before(tuple edges, Modes modes)
@cython.locals(tape=Tape)
cpdef object settle_edge(Edge edge)
@cython.locals(process=int64_t)
cpdef object lock()
cpdef bint forget_forked(Tape tape) except -1
cpdef bint has_lock() except -1
cpdef bint await_others(Tape tape, Modes modes) except -1
