cimport cython
from libc.stdint cimport int64_t
from wengert._core.tensor cimport base, slots, tapes
from wengert._core cimport door, flags
from wengert._core.tensor.base cimport Tensor, meta_of, share, wrap
from wengert._core.tensor.meta cimport AutogradMeta
from wengert._core.forks cimport forks
from wengert._core.profiling cimport kinds
from wengert._core.profiling.events cimport Log
from wengert._core.operators.overlap cimport overlaps
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport Edge, Node, expandable, new_edge, set_up
from wengert._core.tensor.storage cimport count_write

cdef int64_t FEW

@cython.no_gc
cdef class AccumulateGrad(Node):
    cdef Tensor owned
    cdef object reference, edge_dtype
    cdef tuple edge_shape

@cython.locals(meta=AutogradMeta, node=AccumulateGrad, other=AccumulateGrad)
cpdef AccumulateGrad accumulator(Tensor tensor)
cpdef Tensor leaf_of(AccumulateGrad node)
cpdef AccumulateGrad noted(AutogradMeta meta)
@cython.locals(process=int64_t)
cpdef object lock_of(AutogradMeta meta)
@cython.locals(edge=Edge)
cpdef Edge gradient_edge(Tensor tensor)
@cython.locals(meta=AutogradMeta, node=AccumulateGrad, shape=tuple, edge=Edge)
cpdef Edge edge_in(Tensor tensor, Modes modes)
@cython.locals(meta=AutogradMeta, modes=Modes)
cpdef object accumulate(Tensor leaf, object grad, bint owned)
@cython.locals(meta=AutogradMeta)
cpdef object dtype_for(Tensor leaf)
@cython.locals(node=AccumulateGrad)
cpdef object forget_space(AutogradMeta meta)
cpdef object in_dtype(object grad, object dtype)
cpdef bint locked(Tensor leaf, AutogradMeta meta, Tensor grad, bint owned, Modes modes) except -1
@cython.locals(known=Tensor)
cpdef bint added(Tensor leaf, AutogradMeta meta, Tensor grad, bint owned, Modes modes) except -1
cpdef object summed(Tensor known, Tensor grad, Modes modes)
@cython.locals(log=Log)
cpdef object add_into(object array, object other, Modes modes)
cpdef object copied_for(object leaf, object array)
cpdef object empty_beside(object array, object grad)
cpdef bint fills(object array, object whole) except -1
cpdef object add_quietly(object array, object other, Modes modes)
cpdef object run_after_accumulate(Tensor leaf)
@cython.locals(result=Tensor, plain=bint)
cpdef Tensor first_gradient(Tensor leaf, Tensor grad, bint owned, Modes modes)
@cython.locals(edge=Edge, meta=AutogradMeta)
cpdef object run_leaf_hooks(Tensor leaf, object grad)
