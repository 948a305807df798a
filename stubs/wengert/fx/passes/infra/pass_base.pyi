# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.passes.infra.pass_base import (
    PassBase as PassBase,
    PassResult as PassResult,
)
