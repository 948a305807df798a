cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.profiling.events cimport Event, Log
from wengert._core.state.modes cimport current
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.tensor.storage cimport Storage, next_serial
from wengert._core.capture.lists cimport Entry, Nested, copy_of, layout_of
from wengert._core.writes.inplace cimport InPlaceOp

cdef class Recorder(Log):
    cdef public list entries, arrays, externals, histories, pending, spans
    cdef public object reason, origin, position, natives, describing, drawn
    cdef public int64_t effects, born, sequence
    cdef public bint closed, busy
    cdef public dict leaves, of_grad, registers, storages, of_external, wholes
    cdef public set outside, outer_wholes, foreign
    cpdef object refuse(self, str reason)
    @cython.locals(counts=dict)
    cpdef object conclude_entry(self, Entry entry, tuple args, object result, list versions, bint lasting)
    cpdef object add(self, Entry entry, tuple args=*)
    cpdef object refuse_draws(self)
    cpdef object fill(self, Entry entry, tuple args)
    cpdef tuple place(self, object value)
    cpdef int64_t number_of(self, Storage storage) except? -1
    cpdef int64_t known(self, object array) except? -1
    cpdef int64_t operand(self, Tensor tensor) except? -1
    cpdef int64_t external(self, Tensor tensor) except? -1
    cpdef int64_t view(self, object array, int64_t root) except? -1
    cpdef int64_t result(self, object value) except? -1
    cpdef int64_t new_register(self, object array) except? -1
    cpdef object remember(self, Storage storage, int64_t external, int64_t register)

cpdef object whole_of(object array)
cpdef object key_of(object array)
cpdef object array_in(object value)
@cython.locals(found=list)
cpdef list tensors_in(object args)
cpdef object line_of_program()
cpdef bint is_fallible(Entry entry, tuple args)
