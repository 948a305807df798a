cimport cython
from wengert._core cimport door, flags
from wengert._core.tensor cimport slots
from wengert._core.state.modes cimport current
from wengert._core.graph.node cimport Edge
from wengert._core.tensor.slots cimport Operator
from wengert._core.tensor.storage cimport Storage, next_serial

cdef class AutogradMeta:
    cdef public object grad, accumulator, lock, view, hooks, after_accumulate, name, tangent, origin
    cdef public bint retains_grad
    cdef public long process

cdef class Tensor:
    cdef public object _array_
    cdef public Storage _storage_
    cdef public long _flags_
    cdef public Edge _edge_
    cdef public AutogradMeta _meta_
    cdef object attributes  # behind `__dict__`, see door.lazy_dict
    cdef object __weakref__

@cython.locals(made=AutogradMeta)
cpdef AutogradMeta meta_of(Tensor tensor)
@cython.locals(meta=AutogradMeta)
cpdef AutogradMeta new_meta()
@cython.locals(modes=Modes, made=Tensor)
cpdef Tensor wrap(object array)
@cython.locals(storage=Storage, made=Tensor)
cpdef Tensor wrap_flagged(object array, long word)
@cython.locals(made=Tensor)
cpdef Tensor share(object array, Storage storage)
cpdef void set_up(Tensor tensor, object array, Storage storage)
cpdef object bind(str name, object value)
