cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.tensor.storage cimport count, count_write

@cython.locals(chosen=list, grads=list, parameter=Tensor, grad=Tensor)
cpdef object with_gradients(object params, int64_t refused)
@cython.locals(tensor=Tensor)
cpdef bint have_flag(list tensors, int64_t flag) except -1
@cython.locals(tensor=Tensor)
cpdef bint have_halves(list tensors) except -1
@cython.locals(columns=list, place=int64_t, at=int64_t, column=list)
cpdef object entries(object states, list tensors, tuple names)
@cython.locals(arrays=list, tensor=Tensor)
cpdef list arrays_of(object tensors)
@cython.locals(arrays=list, tensor=Tensor)
cpdef list real_parts(object tensors)
@cython.locals(copies=list, at=int64_t, tensor=Tensor)
cpdef list repeated(object values, object tensors)
@cython.locals(arrays=list)
cpdef list counted(object steps)
@cython.locals(modes=Modes, tensor=Tensor)
cpdef object written(object columns, str operation)
@cython.locals(complete=list, at=int64_t)
cpdef list completed(object tensors, object arrays)
