cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.tensor cimport slots
from wengert._core.state.modes cimport current
from wengert._core.tensor.base cimport Tensor, share

cpdef bint may_be_cut(Tensor tensor) except -1
cpdef object warn_of_leaving(Tensor tensor)
cpdef object item(Tensor self)
cpdef object tolist(Tensor self)
cpdef object one_number(Tensor self)
cpdef object real_number(Tensor self, str kind)
cpdef object to_integer(Tensor self)
cpdef object to_float(Tensor self)
cpdef object to_complex(Tensor self)
cpdef object to_index(Tensor self)
@cython.locals(lengths=tuple)
cpdef object size(Tensor self, object dim=*)
cpdef object dim(Tensor self)
cpdef object numel(Tensor self)
@cython.locals(place=int64_t)
cpdef int64_t place_of(str name, object dim, int64_t ndim) except -1
cpdef object length(Tensor self)
@cython.locals(result=Tensor)
cpdef object detach(Tensor self)
cpdef object contiguous(Tensor self, object memory_format=*)
