cimport cython
from wengert._core cimport door
from wengert._core.graph.node cimport Edge, Node, set_up
from wengert._core.leaves.accumulate cimport AccumulateGrad
from wengert._core.recording.recorded cimport OpNode, ViewNode
from wengert._core.recording.saved cimport Saved, SavedInput, SavedOutput
from wengert._core.tensor.base cimport wrap_flagged
from wengert._core.tensor.storage cimport Storage


cdef class Recipe:
    cdef public object cls, op, plan, step
    cdef public long outputs, offset
    cdef public tuple edges, saved

@cython.locals(node=OpNode)
cpdef Node ordinary_node(Recipe recipe, list values, list edges, tuple memory, long first)
cpdef object set_step(ViewNode node, tuple step)
@cython.locals(kind=long, storage=Storage, version=long)
cpdef object saved_value(tuple part, list values, list edges, tuple memory)
@cython.locals(saved=SavedInput)
cpdef Saved saved_input(object array, Storage storage, long version, Edge edge, long word)
@cython.locals(saved=SavedOutput)
cpdef Saved saved_output(object array, Storage storage, long version, long nr)
@cython.locals(storage=Storage)
cpdef Storage old_storage(object array)
