# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx._pytree import (
    register_pytree_flatten_spec as register_pytree_flatten_spec,
    tree_flatten_spec as tree_flatten_spec,
)
