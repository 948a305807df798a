# Made by tools/make_stub.py; do not edit.
from wengert._torch._decomp import (
    core_aten_decompositions as core_aten_decompositions,
    decomposition_table as decomposition_table,
    get_decompositions as get_decompositions,
    global_decomposition_table as global_decomposition_table,
    meta_table as meta_table,
    overloads_of as overloads_of,
    pre_autograd_decomposition_table as pre_autograd_decomposition_table,
    register_decomposition as register_decomposition,
    remove_decompositions as remove_decompositions,
)
