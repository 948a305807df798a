cimport cython
from wengert._core cimport door, flags
from wengert._core.base cimport Tensor, share
from wengert._core.modes cimport Modes, current
from wengert._core.node cimport Edge, Node, new_edge
from wengert._core.storage cimport Storage

@cython.no_gc
cdef class Saved:
    cdef Tensor unpack(self, Node node)

@cython.no_gc
cdef class SavedInput(Saved):
    cdef public Tensor tensor
    cdef public long version

@cython.no_gc
cdef class SavedOutput(Saved):
    cdef public object array
    cdef public Storage storage
    cdef public long version, nr

@cython.no_gc
cdef class SavedPacked(Saved):
    cdef public object packed, unpack_hook
    cdef public long nr

@cython.locals(modes=Modes)
cpdef Tensor recorded_output(Tensor tensor, Node node, long nr)
@cython.locals(saved=SavedInput, twin=Tensor)
cpdef Saved save_input(Tensor tensor, Modes modes)
@cython.locals(saved=SavedOutput)
cpdef Saved save_output(Tensor tensor, long nr, Modes modes)
@cython.locals(saved=SavedPacked)
cpdef Saved pack(Tensor tensor, long nr, Modes modes)
