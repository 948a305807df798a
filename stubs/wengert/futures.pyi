# Made by tools/make_stub.py; do not edit.
from wengert._torch.futures import (
    Future as Future,
    T as T,
    collect_all as collect_all,
    wait_all as wait_all,
)
