from libc.stdint cimport int64_t
from wengert._core.tensor.base cimport Tensor

cpdef int64_t second_is_number(tuple args) except -1
cpdef int64_t second_is_tensor(tuple args) except -1
cpdef int64_t number_among_two(tuple args) except -1
cpdef int64_t whole_or_dims(tuple args) except -1
