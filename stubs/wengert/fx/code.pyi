# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.code import (
    BINARY as BINARY,
    CodeGen as CodeGen,
    FORMS as FORMS,
    IN_PLACE as IN_PLACE,
    Lines as Lines,
    PythonCode as PythonCode,
    Shown as Shown,
    Transform as Transform,
    UNARY as UNARY,
    Writer as Writer,
    format_target as format_target,
    is_identifier as is_identifier,
    last_uses as last_uses,
)
