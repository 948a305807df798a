# Made by tools/make_stub.py; do not edit.
from wengert._torch.compiler import (
    Anything as Anything,
    allow_in_graph as allow_in_graph,
    assume_constant_result as assume_constant_result,
    compile as compile,
    cudagraph_mark_step_begin as cudagraph_mark_step_begin,
    disable as disable,
    explain as explain,
    is_compiling as is_compiling,
    is_dynamo_compiling as is_dynamo_compiling,
    is_exporting as is_exporting,
    list_backends as list_backends,
    reset as reset,
    substitute_in_graph as substitute_in_graph,
)
