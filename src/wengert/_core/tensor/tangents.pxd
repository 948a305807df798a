cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.tensor.base cimport Tensor, meta_of
from wengert._core.tensor.meta cimport AutogradMeta

cdef class Level:
    cdef public int64_t number, room, depth
    cdef public bint alive
    cdef public list members, replaced
    cpdef object note(self, Tangent tangent)

cdef class Tangent:
    cdef public Level level
    cdef public object tensor
    cdef public Tangent outer
    cdef object __weakref__

@cython.locals(meta=AutogradMeta, tangent=Tangent)
cpdef Tangent first_of(Tensor tensor)
cpdef bint is_dual(Tensor tensor) except -1
@cython.locals(tangent=Tangent)
cpdef object tangent_at(Tensor tensor, Level level)
cpdef object give(Tensor tensor, Level level, object value)
@cython.locals(tangent=Tangent)
cpdef Tangent linked(Level level, object value, Tangent outer)
cpdef object put(Tensor tensor, Tangent tangent)
@cython.locals(inner=list, tangent=Tangent, inner_tangent=Tangent)
cpdef object insert(Tensor tensor, Level level, object value)
cpdef object share_tangents(Tensor twin, Tensor tensor)
