cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.aliasing cimport views
from wengert._core.leaves.accumulate cimport gradient_edge
from wengert._core.tensor.base cimport Tensor, share
from wengert._core.state.modes cimport Modes
from wengert._core.graph.node cimport Edge, Node, new_edge
from wengert._core.recording.saved cimport Saved, save_output
from wengert._core.aliasing.views cimport ViewInfo, way

@cython.no_gc
cdef class SavedPart(Saved):
    cdef public Saved kept
    cdef public object outer, frame
    cdef public ViewInfo view

@cython.locals(kept=Saved, info=ViewInfo, base=Tensor, edge=Edge, saved=SavedPart)
cpdef Saved save_result(Tensor tensor, int64_t nr, Modes modes)
