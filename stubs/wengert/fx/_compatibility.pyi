# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx._compatibility import (
    Kind as Kind,
    compatibility as compatibility,
)
