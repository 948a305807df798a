cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport flags
from wengert._core.calls cimport batching, forward, noted
from wengert._core.operators cimport promotion
from wengert._core.profiling.events cimport logged
from wengert._core.state.modes cimport Modes
from wengert._core.tensor.base cimport Tensor

@cython.locals(input_flags=int64_t)
cpdef object call(object op, tuple args, int64_t word, Modes modes)
cpdef object overridden(object op, tuple args, int64_t word, Modes modes)
cpdef object of_stranger(object op, object a, object b)
cpdef object observed(object op, tuple args, int64_t word, Modes modes)
cpdef object beyond_modes(object op, tuple args, int64_t word, Modes modes)
cpdef object inference(object op, tuple args, int64_t word, Modes modes)
cpdef bint is_all_inference(object op, tuple args) except -1
