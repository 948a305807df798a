# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.interpreter import (
    Interpreter as Interpreter,
    Transformer as Transformer,
    TransformerTracer as TransformerTracer,
    explain as explain,
)
