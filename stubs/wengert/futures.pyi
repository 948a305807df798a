# Made by tools/make_stub.py; do not edit.
from wengert._torch.futures import (
    Any as Any,
    Callable as Callable,
    Future as Future,
    Generic as Generic,
    Iterable as Iterable,
    T as T,
    TypeVar as TypeVar,
    collect_all as collect_all,
    threading as threading,
    wait_all as wait_all,
)
