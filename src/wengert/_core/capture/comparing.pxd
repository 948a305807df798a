cimport cython
from wengert._core.capture.lists cimport Entry, Nested
from wengert._core.capture.signatures cimport flattened

@cython.locals(one=Entry, other=Entry)
cpdef tuple compared(object entries, object result, object others, object other_result)
cpdef str of_entries(Entry one, Entry other)
cpdef bint same_constants(object one, object other) except -1
cpdef bint same_nested(Nested one, Nested other) except -1
