cimport cython
from wengert._core cimport flags
from wengert._core.base cimport AutogradMeta, Tensor, meta_of
from wengert._core.modes cimport Modes, current
from wengert._core.node cimport Edge

@cython.no_gc
cdef class ViewInfo:
    cdef public Tensor base
    cdef public tuple steps
    cdef public long version, made

@cython.locals(info=ViewInfo, parent=ViewInfo, meta=AutogradMeta)
cpdef object attach(Tensor view, Tensor source, object op, tuple args, long nr, Modes modes)
@cython.locals(info=ViewInfo, base=Tensor, modes=Modes, replayed=Tensor)
cpdef object refresh(Tensor view)
@cython.locals(info=ViewInfo, base=Tensor)
cpdef object inherit(Tensor view)
@cython.locals(info=ViewInfo, edge=Edge)
cpdef object refuse(Tensor view, bint direct)
@cython.locals(copied=ViewInfo)
cpdef ViewInfo way(ViewInfo info)
