cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport bits
from wengert._core cimport door
from wengert._core.tensor.base cimport Tensor, wrap
from wengert._core.graph.node cimport Edge, Node
from wengert._core.tensor.storage cimport Storage, next_serial

@cython.final
@cython.no_gc
cdef class Task:
    cdef public int64_t run, waiting, spared, stage
    cdef public object grad
    cdef public list grads, captures
    cdef public bint owned, wanted, runs

@cython.final
cdef class Tasks:
    cdef public int64_t run
    cdef public list nodes
    cdef public dict others
    @cython.locals(task=Task)
    cpdef Task find(self, Node node)
    @cython.locals(task=Task)
    cpdef Task add(self, Node node)
    @cython.locals(task=Task)
    cpdef Task take(self, Node node)
    cpdef object end(self)

@cython.locals(tasks=Tasks)
cpdef Tasks new_tasks()
@cython.locals(task=Task)
cpdef Task new_task(Node node, int64_t run)
@cython.locals(tasks=Tasks, edge=Edge, at=int64_t, node=Node, task=Task)
cpdef Tasks count_uses(list roots)
cdef int64_t FOUND, ENTERED, LEFT
@cython.locals(task=Task, node=Node, edge=Edge, at=int64_t, stack=list)
cpdef object mark_wanted(Tasks tasks, list roots, list captures, bint accumulating)
@cython.locals(edge=Edge, at=int64_t)
cpdef object mark_edges(Node node, Task task, Tasks tasks)
@cython.locals(storage=Storage, shared=int64_t, other=Tensor)
cpdef bint is_own(Tensor grad, object outgoing, Task task, int64_t born) except -1
@cython.locals(arrived=Tensor)
cpdef bint passed_on(Storage storage, Task task) except -1
@cython.locals(task=Task)
cpdef Task sole(object grad)
cdef Task ALONE
@cython.locals(grad=Tensor)
cpdef bint is_alone(Task task) except -1
