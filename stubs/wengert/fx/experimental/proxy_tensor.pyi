# Made by tools/make_stub.py; do not edit.
from wengert._torch.fx.experimental.proxy_tensor import (
    get_proxy_mode as get_proxy_mode,
)
