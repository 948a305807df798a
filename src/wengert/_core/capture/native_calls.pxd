cimport cython
from wengert._core.bits cimport bit
from wengert._core.capture.lists cimport CallList, Entry, Written
from wengert._core.capture.packed cimport PackedEntries, share_constants
from wengert._core.capture.recorder cimport whole_of
from wengert._core.tensor cimport slots

cpdef object description(Entry entry, object added, tuple spares)
cpdef bint is_movable(Entry entry) except -1
cpdef bint is_native(object function) except -1
@cython.locals(remaining=dict, free=dict, number_of=dict)
cpdef list spare_numbers(list entries, list arrays, set wanted)
cpdef bint is_offered(object array, set excluded) except -1
