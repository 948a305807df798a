cimport cython
from wengert._core cimport door, flags, views
from wengert._core.accumulate cimport gradient_edge
from wengert._core.base cimport Tensor, share
from wengert._core.modes cimport Modes
from wengert._core.node cimport Edge, Node, new_edge
from wengert._core.saved cimport Saved, save_output
from wengert._core.views cimport ViewInfo, way

@cython.no_gc
cdef class SavedPart(Saved):
    cdef public Saved kept
    cdef public object outer, frame
    cdef public ViewInfo view

@cython.locals(kept=Saved, info=ViewInfo, base=Tensor, edge=Edge, saved=SavedPart)
cpdef Saved save_result(Tensor tensor, long nr, Modes modes)
