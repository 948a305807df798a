"""Arguments that nobody gives on purpose, and the names that a hunted program may use.

Such a program begins with `from tools.hunt.hostile import *`.
"""

from __future__ import annotations

import copy
import importlib
import pickle
from typing import Any

import numpy as np

import wengert as wg
from tools.beside_torch.generate import listed
from wengert._core.cards.card import REGISTRY as cards  # noqa: N811 - programs call `cards["name"](...)`

__all__ = [
    "F",
    "Refused",
    "Returning",
    "Square",
    "cards",
    "copy",
    "deep",
    "frozen",
    "lying",
    "native",
    "nn",
    "np",
    "pickle",
    "recursive",
    "rude",
    "shrinking",
    "wg",
]

native: Any = importlib.import_module("wengert._kernels").native
nn: Any = importlib.import_module("wengert.nn")
F: Any = importlib.import_module("wengert.nn.functional")


class Refused(Exception):  # noqa: N818 - nothing went wrong
    """What a rude object raises."""


def rude(method: str, gives: Any = None) -> Any:
    """An object whose special method raises, or works with the library in the middle of its call and gives something.

    Args:
        method: such as `__index__`.
        gives: what the method returns; None if it is to raise.
    """

    def answer(self: Any, *args: Any, **named: Any) -> Any:
        if gives is None:
            raise Refused(method)
        x = wg.ones(3, requires_grad=True)
        (x * 2).add_(1).sum().backward()
        return gives

    return type("Rude", (), {method: answer})()


def lying(length: int) -> Any:
    """A list of three numbers that claims another length."""
    return type("Lying", (list,), {"__len__": lambda self: length})([1, 2, 3])


def shrinking(key: str = "__getitem__") -> Any:
    """A list that loses an element whenever one is looked at."""

    def look(self: Any, *args: Any) -> Any:
        if list.__len__(self):
            list.pop(self)
        return getattr(list, key)(self, *args)

    return type("Shrinking", (list,), {key: look})([1, 2, 3])


def recursive() -> Any:
    """A list that holds itself."""
    nested: list[Any] = []
    nested.append(nested)
    return nested


def deep(levels: int) -> Any:
    """Lists within lists."""
    nested: Any = 1.0
    for _ in range(levels):
        nested = [nested]
    return nested


def frozen(array: Any) -> Any:
    """The array, no longer to be written to."""
    array.flags.writeable = False
    return array


NUMBERS = listed(r"""
    0 ; 1 ; -1 ; 2 ; 3 ; -2 ; -3 ; 64 ; 1000 ; -1000 ; 2**31 ; -2**31 ; 2**40 ; 2**62 ; -2**62 ; 2**63 - 1 ; 2**63 ;
    -2**63 ; 2**64 ; -2**64 ; 10**400 ; float('nan') ; float('inf') ; -float('inf') ; 1e308 ; 0.5 ; -0.0 ; True ;
    False ; 1j ; complex('nan') ; np.int64(2) ; np.int64(2**62) ; np.float32(2.5) ; np.bool_(True) ; np.float64('nan') ;
    np.uint8(3) ; np.array(2) ; np.array([2])
""")

TENSORS = listed(r"""
    wg.tensor(2) ; wg.tensor(2.5) ; wg.tensor(True) ; wg.tensor(1j) ; wg.tensor(2**62) ; wg.tensor(float('nan')) ;
    wg.tensor(1.5, requires_grad=True) ; wg.tensor([1]) ; wg.tensor([2**62, -2**62]) ; wg.tensor([-1, 5, 2**40]) ;
    wg.empty(0) ; wg.empty(0, 3) ; wg.empty(3, 0) ; wg.ones(3) ; wg.ones(2, 3) ; wg.ones(1, 1, 1, 1, 1, 1, 1) ;
    wg.ones(1).expand(3) ; wg.ones(3, 1).expand(3, 4) ; wg.arange(12.).reshape(3, 4).t() ;
    wg.arange(12.).reshape(3, 4)[:, 1:3] ; wg.arange(10.)[::3] ; wg.zeros(3, dtype=wg.int64) ;
    wg.ones(2, 3, dtype=wg.int64) ; wg.ones(3, dtype=wg.bool) ; wg.ones(3, dtype=wg.complex64) ;
    wg.ones(3, dtype=wg.float16) ; wg.ones(3, dtype=wg.uint8) ; wg.ones(3, dtype=wg.uint64) ;
    wg.ones(2, 3, requires_grad=True) ; (wg.ones(2, 3, requires_grad=True) * 1) ; wg.ones(3, requires_grad=True)[1:] ;
    wg.tensor([[float('nan'), float('inf')]]) ; wg.from_numpy(np.arange(6.).reshape(2, 3)[:, ::2]) ;
    wg.as_strided(wg.ones(4), (3, 2), (1, 1)) ; wg.nn.Parameter(wg.ones(3)) ;
    wg.tensor([1 + 2j, 3 - 1j], requires_grad=True)
""")

ARRAYS = listed(r"""
    np.arange(6.) ; np.arange(6.)[::-1] ; frozen(np.ones(3)) ; np.ones((2, 3)).T ; np.ones(3, dtype='>f4') ;
    np.array(['a', 'b']) ; np.array([object()]) ; np.ones(3, dtype='m8[s]') ; np.ones(3, dtype='f4,i4') ;
    np.empty((0, 3)) ; np.array([], dtype=np.int64) ; np.ma.ones(3) ; np.ones(3, dtype=np.longdouble) ;
    memoryview(b'abc') ; np.broadcast_to(1.0, (1000, 3)) ; np.matrix([[1.0]])
""")

SEQUENCES = listed(r"""
    () ; [] ; [[]] ; (0,) ; (1,) ; (2, 3) ; [1.5, 2] ; (-1,) ; (-1, -1) ; (2**62,) ; (2**62, 2**62) ; (2**32, 2**32) ;
    (2**63,) ; (-2**63, 1) ; (1,) * 40 ; (1,) * 100 ; (2,) * 64 ; (0,) * 70 ; ('a',) ; (None,) ; (True, False) ;
    [1, [2]] ; [[1], [2, 3]] ; (0, 0) ; (1, 0) ; (0, 1, 0) ; (5, -7) ; [wg.ones(2)] ; [wg.ones(2), wg.ones(3)] ;
    (wg.tensor(1), wg.tensor(2)) ; [wg.ones(2), None] ; [None] ; wg.Size([2, 3]) ; range(3) ; iter([1, 2]) ; {} ;
    {1: 2} ; {'a': wg.ones(1)} ; set() ; slice(None) ; slice(2**62, None, 2**62) ; slice(None, None, -1) ; ... ;
    (..., ...) ; (None,) * 70 ; (slice(None),) * 70 ; recursive() ; deep(100) ; deep(2000) ; lying(2**62) ; lying(0) ;
    lying(1) ; shrinking() ; shrinking('__iter__') ; [float('nan')] ; [2**70] ; [1, 'a'] ; [1j, True]
""")

OBJECTS = listed(r"""
    None ; 'x' ; '' ; 'mean' ; 'none' ; 'sum' ; '\ud800' ; b'x' ; 'x' * 10000 ; object() ; type ; int ; len ;
    lambda *given: None ; wg ; wg.float32 ; wg.int8 ; wg.bool ; wg.complex128 ; np.float32 ; 'float32' ; wg.strided ;
    wg.channels_last ; wg.device('cpu') ; 'cuda' ; wg.Tensor ; wg.Generator() ; wg.nn.ReLU() ; NotImplemented ;
    Refused ; rude('__index__') ; rude('__float__') ; rude('__int__') ; rude('__bool__') ; rude('__len__') ;
    rude('__iter__') ; rude('__array__') ; rude('__getitem__') ; rude('__complex__') ; rude('__call__') ;
    rude('__eq__') ; rude('__array_interface__') ; rude('__torch_function__') ; rude('__hash__') ; rude('__repr__') ;
    rude('__index__', 1) ; rude('__index__', 2**62) ; rude('__index__', -1) ; rude('__float__', 1.5) ;
    rude('__bool__', True) ; rude('__len__', 2) ; rude('__len__', 2**62) ; rude('__array__', np.ones(2)) ;
    rude('__array__', 3) ; rude('__iter__', iter([1, 2])) ; rude('__call__', 2)
""")

KINDS = (NUMBERS, NUMBERS, TENSORS, TENSORS, SEQUENCES, OBJECTS, ARRAYS)
"""From which one is drawn, then one of its own."""

NAMES = listed(r"""
    dim ; out ; dtype ; keepdim ; input ; other ; alpha ; value ; size ; stride ; padding ; requires_grad ; generator ;
    inplace ; memory_format ; device ; reduction ; ceil_mode ; dilation ; eps ; nonsense
""")
"""Keywords that may fit."""


class Square(wg.autograd.Function):
    """A custom function that keeps its input."""

    @staticmethod
    def forward(ctx: Any, value: Any, power: Any = 2) -> Any:
        ctx.save_for_backward(value)
        return value * value if power == 2 else value * power  # 3 ** (2 ** 63) takes Python for ever

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        (value,) = ctx.saved_tensors
        return grad * 2 * value, None


class Returning:
    """A custom function whose backward pass returns what was given."""

    def __init__(self, gives: Any) -> None:
        methods = {
            "forward": staticmethod(lambda ctx, value: value * 1),
            "backward": staticmethod(lambda ctx, grad: gives),
        }
        function: Any = type("Given", (wg.autograd.Function,), methods)
        self.apply = function.apply
