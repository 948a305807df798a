# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.interpreter import (
    Any as Any,
    Argument as Argument,
    Graph as Graph,
    GraphModule as GraphModule,
    Interpreter as Interpreter,
    Iterator as Iterator,
    Module as Module,
    Node as Node,
    Proxy as Proxy,
    Target as Target,
    Tracer as Tracer,
    Transformer as Transformer,
    TransformerTracer as TransformerTracer,
    explain as explain,
    last_uses as last_uses,
    map_arg as map_arg,
)
