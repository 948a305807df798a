from wengert._core.tensor.base cimport Tensor

cpdef long second_is_number(tuple args) except -1
cpdef long second_is_tensor(tuple args) except -1
cpdef long number_among_two(tuple args) except -1
cpdef long whole_or_dims(tuple args) except -1
