cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.aliasing cimport views
from wengert._core.calls cimport noted
from wengert._core.calls.dispatch cimport array_of, finish, flags_of, input_word, is_unusual, learn, refresh_views, run_known
from wengert._core.operators.declaration cimport Declaration
from wengert._core.profiling cimport kinds
from wengert._core.profiling.events cimport Log, logged
from wengert._core.state.modes cimport Modes, current
from wengert._core.tensor.base cimport Tensor, wrap_flagged

@cython.locals(modes=Modes, input_flags=int64_t, word=int64_t)
cpdef object attempt(Declaration op, object native, tuple args, bint shaped)
cpdef object attempt_plain(Declaration op, object native, tuple args, bint shaped, int64_t word, int64_t input_flags, Modes modes)
cpdef bint is_array_of(object array, object value) except -1
@cython.locals(modes=Modes, input_flags=int64_t, word=int64_t)
cpdef object unrecorded(object native, tuple args)
@cython.locals(log=Log, arguments=tuple)
cpdef object unrecorded_noted(object native, tuple args, int64_t input_flags, Modes modes)
cpdef object unrecorded_plain(object native, tuple args, int64_t input_flags, Modes modes)
cpdef object call_or_decline(object function, tuple args)
@cython.locals(word=int64_t)
cpdef int64_t word_of(object values, int64_t depth=*) except -1
cpdef object refresh_all(object values)
