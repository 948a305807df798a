# Made by tools/make_stub.py; do not edit.
from wengert._torch._higher_order_ops.map import (
    map as map,
    map_impl as map_impl,
)
