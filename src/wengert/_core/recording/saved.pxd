cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.leaves.accumulate cimport AccumulateGrad, gradient_edge
from wengert._core.tensor.base cimport Tensor, meta_of, share
from wengert._core.tensor.meta cimport AutogradMeta
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport Edge, Node, new_edge
from wengert._core.tensor.storage cimport Storage

cpdef object twin_of_class(object tensor)

@cython.no_gc
cdef class Saved:
    cdef Tensor unpack(self, Node node)
    cdef object plain(self, Node node)

@cython.no_gc
cdef class SavedInput(Saved):
    cdef public Tensor leaf
    cdef public object array
    cdef public Storage storage
    cdef public Edge edge
    cdef public int64_t word, version
    @cython.locals(storage=Storage)
    cdef object check(self, Node node)

@cython.no_gc
cdef class SavedOutput(Saved):
    cdef public object array
    cdef public Storage storage
    cdef public int64_t version, nr
    @cython.locals(storage=Storage)
    cdef object check(self, Node node)

@cython.no_gc
cdef class SavedDualInput(SavedInput):
    cdef public object tangent

@cython.no_gc
cdef class SavedDualOutput(SavedOutput):
    cdef public object tangent

@cython.no_gc
cdef class SavedOfClass(SavedInput):
    cdef public object twin

@cython.no_gc
cdef class SavedOutputOfClass(SavedOutput):
    cdef public object twin

@cython.no_gc
cdef class SavedPacked(Saved):
    cdef public object packed, unpack_hook, tangent
    cdef public Edge edge
    cdef public int64_t nr

cpdef Tensor recorded_output(Tensor tensor, Node node, int64_t nr)
@cython.locals(meta=AutogradMeta)
cpdef Tensor placed_input(Tensor tensor, Edge edge)
@cython.locals(saved=SavedInput)
cpdef Saved save_input(Tensor tensor, Modes modes)
cpdef Tensor dual_again(Tensor tensor, object tangent)
@cython.locals(saved=SavedDualInput)
cpdef SavedInput dual_input(Tensor tensor)
@cython.locals(saved=SavedDualOutput)
cpdef SavedOutput dual_output(Tensor tensor)
@cython.locals(saved=SavedOfClass)
cpdef SavedInput input_of_class(Tensor tensor)
@cython.locals(saved=SavedOutputOfClass)
cpdef SavedOutput output_of_class(Tensor tensor)
cpdef Tensor detached_twin(Tensor tensor)
@cython.locals(twin=Tensor)
cpdef Tensor input_of(SavedInput saved)
@cython.locals(tensor=Tensor)
cpdef Tensor of_class(SavedOfClass saved)
@cython.locals(storage=Storage)
cpdef bint is_as_saved(Tensor tensor, SavedInput saved)
@cython.locals(twin=Tensor)
cpdef Tensor twin_of(Tensor view)
@cython.locals(saved=SavedOutput)
cpdef Saved save_output(Tensor tensor, int64_t nr, Modes modes)
@cython.locals(twin=Tensor)
cpdef Saved pack_output(Tensor tensor, int64_t nr, Modes modes)
@cython.locals(edge=Edge)
cpdef Saved pack(Tensor tensor, int64_t nr, Modes modes)
@cython.locals(saved=SavedPacked, modes=Modes, version=int64_t, grad=bint, mask=int64_t)
cpdef SavedPacked packed_by(object pack_hook, object unpack_hook, Tensor tensor, Edge edge, int64_t nr)
