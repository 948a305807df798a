cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door
from wengert._core.graph.node cimport Edge, Node, set_up
from wengert._core.leaves.accumulate cimport AccumulateGrad
from wengert._core.recording.recorded cimport OpNode, ViewNode
from wengert._core.recording.saved cimport Saved, SavedInput, SavedOutput
from wengert._core.tensor.base cimport wrap_flagged
from wengert._core.tensor.storage cimport Storage


cdef class Recipe:
    cdef public object cls, op, plan, step
    cdef public int64_t outputs, offset
    cdef public tuple edges, saved

@cython.locals(node=OpNode)
cpdef Node ordinary_node(Recipe recipe, list values, list edges, tuple memory, int64_t first)
cpdef object set_step(ViewNode node, tuple step)
@cython.locals(kind=int64_t, storage=Storage, version=int64_t)
cpdef object saved_value(tuple part, list values, list edges, tuple memory)
@cython.locals(saved=SavedInput)
cpdef Saved saved_input(object array, Storage storage, int64_t version, Edge edge, int64_t word)
@cython.locals(saved=SavedOutput)
cpdef Saved saved_output(object array, Storage storage, int64_t version, int64_t nr)
@cython.locals(storage=Storage)
cpdef Storage old_storage(object array)
