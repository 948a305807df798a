cimport cython
from wengert._core.calls.op cimport Op
from wengert._core.operators.rules cimport Rule
from wengert._core.cards.node_classes cimport NodeClasses

cpdef object fill_options(Op card, dict stated, dict options)
cpdef object fill_nodes(Op card, object node, object why)
cpdef tuple numbers_among(Op card, object numbers)
cpdef tuple slots_of(Op card, tuple inputs)
@cython.locals(nodes=NodeClasses)
cpdef Rule add_rule(Op card, object rule, tuple names, tuple inputs, bint partial)
