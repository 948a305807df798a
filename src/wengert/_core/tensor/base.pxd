cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.tensor cimport slots
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport Edge
from wengert._core.tensor.slots cimport Operator
from wengert._core.tensor.storage cimport Storage, next_serial
from wengert._core.tensor.meta cimport AutogradMeta, new_meta

cdef class Tensor:
    cdef public object _array_
    cdef public Storage _storage_
    cdef public int64_t _flags_
    cdef public Edge _edge_
    cdef public AutogradMeta _meta_
    cdef object attributes  # behind `__dict__`, see door.lazy_dict
    cdef object __weakref__

@cython.locals(meta=AutogradMeta)
cpdef AutogradMeta meta_of(Tensor tensor)
@cython.locals(modes=Modes, tensor=Tensor)
cpdef Tensor wrap(object array)
@cython.locals(storage=Storage, tensor=Tensor)
cpdef Tensor wrap_flagged(object array, int64_t word)
@cython.locals(tensor=Tensor)
cpdef Tensor share(object array, Storage storage)
@cython.locals(values=Tensor)
cpdef void stand_in(Tensor tensor, object array)
cpdef void set_up(Tensor tensor, object array, Storage storage)
cpdef object bind(str name, object value)
