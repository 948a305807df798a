cimport cython
from wengert._core cimport door
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.tensor.storage cimport count, count_write

@cython.locals(chosen=list, grads=list, parameter=Tensor, grad=Tensor)
cpdef object with_gradients(object params, long refused)
@cython.locals(tensor=Tensor)
cpdef bint have_flag(list tensors, long flag) except -1
@cython.locals(tensor=Tensor)
cpdef bint have_halves(list tensors) except -1
@cython.locals(columns=list, place=long, at=long, column=list)
cpdef object entries(object states, list tensors, tuple names)
@cython.locals(arrays=list, tensor=Tensor)
cpdef list arrays_of(object tensors)
@cython.locals(arrays=list, tensor=Tensor)
cpdef list real_parts(object tensors)
@cython.locals(copies=list, at=long, tensor=Tensor)
cpdef list repeated(object values, object tensors)
@cython.locals(arrays=list)
cpdef list counted(object steps)
@cython.locals(modes=Modes, tensor=Tensor)
cpdef object written(object columns, str operation)
@cython.locals(complete=list, at=long)
cpdef list completed(object tensors, object arrays)
