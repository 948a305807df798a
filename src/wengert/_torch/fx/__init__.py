"""`torch.fx`: programs as graphs, which can be built, traced, changed, printed and run.

Parts of torch's package that are not here (most passes, tensor types, normalised arguments) are refused when they are
called or made.
"""

from __future__ import annotations

from typing import Any

from wengert._start.absent import stand_in
from wengert._start.loading import absent, load

from . import _symbolic_trace, graph, graph_module, immutable_collections, interpreter, node, proxy, subgraph_rewriter
from .graph import CodeGen, Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern
from .tracer import Tracer, symbolic_trace
from .wrapping import wrap

__all__ = [
    "CodeGen",
    "Graph",
    "GraphModule",
    "Interpreter",
    "Node",
    "Proxy",
    "Tracer",
    "Transformer",
    "_symbolic_trace",
    "graph",
    "graph_module",
    "has_side_effect",
    "immutable_collections",
    "interpreter",
    "map_arg",
    "node",
    "proxy",
    "replace_pattern",
    "subgraph_rewriter",
    "symbolic_trace",
    "wrap",
]


ABSENT = ("PH", "ProxyableClassMeta", "config", "operator_schemas", "tensor_type", "traceback")
"""Names of torch's package that programs may import; they raise when they are called or instantiated."""


def __getattr__(name: str) -> Any:
    if name in ("experimental", "passes"):
        return load(f"{__name__}.{name}")
    if name in ABSENT:
        return stand_in(__name__, name, "this part of torch.fx is not here")
    absent(__name__, name)
