# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx import (
    ABSENT as ABSENT,
    CodeGen as CodeGen,
    Graph as Graph,
    GraphModule as GraphModule,
    Interpreter as Interpreter,
    Node as Node,
    Proxy as Proxy,
    Tracer as Tracer,
    Transformer as Transformer,
    _symbolic_trace as _symbolic_trace,
    graph as graph,
    graph_module as graph_module,
    has_side_effect as has_side_effect,
    immutable_collections as immutable_collections,
    interpreter as interpreter,
    map_arg as map_arg,
    node as node,
    proxy as proxy,
    replace_pattern as replace_pattern,
    subgraph_rewriter as subgraph_rewriter,
    symbolic_trace as symbolic_trace,
    wrap as wrap,
)
import typing

def __getattr__(name: str) -> typing.Any: ...
