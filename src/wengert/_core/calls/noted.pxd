cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.graph cimport origins
from wengert._core.graph.node cimport Node
from wengert._core.graph.origins cimport Origin
from wengert._core.state.modes cimport Modes
from wengert._core.tensor.base cimport Tensor, meta_of
from wengert._core.tensor.meta cimport AutogradMeta

@cython.locals(meta=AutogradMeta, origin=Origin)
cpdef object cut_of(Tensor tensor)
cpdef object node(Node created, tuple args, Modes modes)
@cython.locals(origin=Origin)
cpdef object place(Node created, tuple args, Modes modes)
cpdef object function(Node created, tuple args, Modes modes)
cpdef object wrapper(Node outer, Node inner, Modes modes)
@cython.locals(tensor=Tensor)
cpdef object cuts_among(tuple args, int64_t depth=*)
@cython.locals(word=int64_t, tensor=Tensor)
cpdef int64_t word_of(object value, int64_t depth=*) except? -1
cpdef object results(object op, tuple args, object output, int64_t input_flags, Modes modes)
@cython.locals(origin=Origin)
cpdef object result(object op, tuple args, Tensor tensor, int64_t input_flags, Modes modes)
cpdef object reason_of(object op, Tensor result, int64_t input_flags, Modes modes)
@cython.locals(tensor=Tensor)
cpdef object source_among(tuple args)
@cython.locals(origin=Origin)
cpdef object function_results(object name, tuple args, tuple outputs, tuple marked, bint recording, Modes modes)
cpdef bint is_one_of(object tensor, tuple others) except -1
