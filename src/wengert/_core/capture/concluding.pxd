cimport cython
from wengert._core cimport door
from wengert._core.capture.lists cimport Entry
from wengert._core.tensor.base cimport wrap_flagged

cpdef list uses_of(Entry entry)
cpdef bint is_view(Entry entry) except -1
@cython.locals(filled=set, kept=list, entry=Entry)
cpdef list without_repeated_views(list entries)
@cython.locals(entry=Entry)
cpdef tuple shortened(list entries, set wanted)
