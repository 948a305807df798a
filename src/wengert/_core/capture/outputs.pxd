cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport flags
from wengert._core.aliasing.views cimport ViewInfo
from wengert._core.tensor.base cimport Tensor, share
from wengert._core.tensor.storage cimport Storage, next_serial

cdef class Output:
    cdef public int64_t external, register, storage, version, kind
    cdef public bint alone
    cdef public object base
    cdef public tuple steps

cdef class Nest:
    cdef public object kind
    cdef public tuple keys, parts

@cython.locals(parts=list)
cpdef object build(object description, list values, list owners, dict built, dict storages)
@cython.locals(tensor=Tensor, info=ViewInfo, owner=Tensor)
cpdef object build_tensor(Output output, list values, list owners, dict built, dict storages)
cpdef Tensor fresh_tensor(Output output, list values)
@cython.locals(storage=Storage)
cpdef Storage new_storage(Output output, object array, dict storages)
@cython.locals(storage=Storage)
cpdef Storage fresh_storage(object array, int64_t version)
