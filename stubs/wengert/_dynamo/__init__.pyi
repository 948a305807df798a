# Made by tools/make_stub.py; do not edit.
from wengert._torch._dynamo import (
    OptimizedModule as OptimizedModule,
    allow_in_graph as allow_in_graph,
    assume_constant_result as assume_constant_result,
    config as config,
    disable as disable,
    eval_frame as eval_frame,
    graph_break as graph_break,
    is_compiling as is_compiling,
    list_backends as list_backends,
    mark_dynamic as mark_dynamic,
    mark_static as mark_static,
    mark_static_address as mark_static_address,
    reset as reset,
)
