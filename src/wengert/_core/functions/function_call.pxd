cimport cython
from libc.stdint cimport int64_t
from wengert._core cimport door, flags
from wengert._core.aliasing cimport views
from wengert._core.leaves.accumulate cimport gradient_edge
from wengert._core.tensor cimport slots, tapes
from wengert._core.tensor.base cimport Tensor, share
from wengert._core.tensor.meta cimport AutogradMeta
from wengert._core.functions.function cimport FunctionNode, ViewWrite, function_edge, in_front
from wengert._core.leaves.hooked cimport retain_at
from wengert._core.writes.inplace cimport rebase
from wengert._core.profiling cimport kinds
from wengert._core.profiling.events cimport Event, Log, next_number
from wengert._core.state.modes cimport Modes, current
from wengert._core.graph.node cimport set_up
from wengert._core.recording.saved cimport SavedInput, save_input
from wengert._core.recording.saved_part cimport save_result
from wengert._core.tensor.storage cimport count_write
from wengert._core.aliasing.views cimport ViewInfo

@cython.locals(modes=Modes, log=Log, event=Event)
cpdef object call(object function, tuple args, dict keywords, bint split)
@cython.locals(word=int64_t, recording=bint, node=FunctionNode, grad=bint, mask=int64_t, forward=int64_t, transforms=int64_t)
cpdef object carry_out(object function, tuple args, dict keywords, bint split, Modes modes)
@cython.locals(word=int64_t, tensor=Tensor)
cpdef int64_t word_of(tuple args) except -1
@cython.locals(levels=list)
cpdef tuple lifted_all(object function, tuple args)
@cython.locals(tensor=Tensor)
cpdef object refresh_all(tuple args)
cpdef object check_keywords(object function, dict keywords)
@cython.locals(node=FunctionNode, edges=list, numbers=list, needed=list, tensor=Tensor, wants=bint)
cpdef FunctionNode new_function_node(object function, tuple args, bint recording, Modes modes)
cpdef object begin(FunctionNode node, list numbers, tuple needed)
@cython.locals(outputs=tuple, dirty=tuple, fixed=tuple, results=list, recorded=int64_t, tensor=Tensor, differentiable=bint)
cpdef object finish(FunctionNode node, tuple args, object result, bint recording, int64_t word, Modes modes)
@cython.locals(at=int64_t)
cpdef tuple marked(FunctionNode node, object tensors, str name, str only)
cpdef bint is_among(Tensor tensor, tuple others) except -1
@cython.locals(tensor=Tensor)
cpdef object count_writes(FunctionNode node, tuple args, tuple outputs, tuple dirty, bint recording)
@cython.locals(info=ViewInfo)
cpdef object check_view_write(Tensor view, int64_t outputs)
@cython.locals(is_input=bint, written=bint, info=ViewInfo)
cpdef Tensor place(FunctionNode node, Tensor out, int64_t nr, tuple args, tuple dirty, bint differentiable, Modes modes)
cpdef Tensor without_history(Tensor out, bint is_input, bint written, Modes modes)
@cython.locals(grad=bint, mask=int64_t, forward=int64_t)
cpdef Tensor alias(Tensor tensor, Modes modes)
cpdef object connect(FunctionNode node, Tensor out, int64_t nr)
@cython.locals(number=int64_t, at=int64_t, inner=ViewWrite, meta=AutogradMeta)
cpdef object rewrite(FunctionNode node, Tensor out, int64_t nr, tuple args, Modes modes)
@cython.locals(tensor=Tensor, info=ViewInfo)
cpdef object mark_several(list outputs)
@cython.locals(kept=list, tensor=Tensor, nr=int64_t)
cpdef tuple keep_all(FunctionNode node, list outputs, Modes modes)
@cython.locals(references=list, anything=bint, at=int64_t)
cpdef object origins(list kept, tuple saved)
@cython.locals(nr=int64_t)
cpdef int64_t output_number(FunctionNode node, Tensor tensor, list outputs) except? -1
