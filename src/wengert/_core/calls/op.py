"""Operators as callable objects: by Python's operators, as methods, with `out=`."""

from __future__ import annotations

import types
from typing import Any

from ..._start.boundary import shorten
from ..._start.loading import load
from .. import flags, vectorcall
from ..operators import promotion
from ..operators.declaration import REQUIRED, Declaration, bind, read_plain
from ..state.modes import Modes
from ..tensor import slots
from ..tensor.base import Tensor
from . import out, unusual, volatile
from .dispatch import computed, finish, perform, remember, run_followed


def docstring_of(op: Any) -> str | None:
    """Return what `help` says of an operator."""
    text: str | None = load(DOCSTRINGS).complete(op)
    return text


def signature_of(op: Any) -> Any:
    """Return the signature of an operator as programs see it."""
    return load(DOCSTRINGS).signature_of(op)


DOCSTRINGS = f"{__name__.partition('.')[0]}._core.cards.docstrings"
"""The module of texts for `help`, which is loaded for them only."""
DOCSTRING: Any = property(docstring_of)
SIGNATURE: Any = property(signature_of)
"""Attributes of classes of operators: instances have texts of their own."""


class Op(Declaration):
    """An operator that can be called."""

    __slots__ = ()

    def call1(self, a: Any) -> Any:
        """Apply to one operand, all other arguments at their defaults."""
        return self.run((a,) + self.after1 if self.after1 else (a,))  # noqa: RUF005 (a display goes through a list)

    def call2(self, a: Any, b: Any) -> Any:
        """Apply to two operands; NotImplemented if one is not an operand (Python then tries the other's method)."""
        if slots.taping or slots.caching:
            known: Any = run_followed(self, a, b)
            if known is not None:
                return known
        if not promotion.is_operand(b) or not promotion.is_operand(a):
            return unusual.of_stranger(self, a, b)
        return self.run((a, b) + self.after2 if self.after2 else (a, b))  # noqa: RUF005 (as above)

    def run(self, args: tuple[Any, ...]) -> Any:
        """Apply to all arguments in the order of the parameters."""
        return perform(self, args)

    def call(self, args: tuple[Any, ...]) -> Any:
        """Call `run`; Python code sees this method in both builds."""
        return self.run(args)

    def written(self, args: tuple[Any, ...]) -> Any:
        """Return the tensor that a call with these arguments writes to, for observers; None if there is none."""
        return None

    def go_on(self, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
        """Go on with a call after a step of `unusual`; `word` are the flags that it left."""
        return unusual.call(self, args, word, modes)

    def remember(self, args: tuple[Any, ...], results: Any, word: int, modes: Modes) -> None:
        """Record results that a step of `unusual` computed from other arguments as results of these arguments."""
        remember(self, args, results, word, modes)

    def complete(self, args: tuple[Any, ...], word: int, modes: Modes) -> Any:
        """Run the rest of a call, after the steps of `unusual`; `word` are the flags that they left."""
        return self.conclude(args, computed(self, args, modes), word, modes)

    def compute(self, args: tuple[Any, ...], modes: Modes) -> Any:
        """Return the array, or several, that the kernel computes from plain tensors."""
        return computed(self, args, modes)

    def conclude(self, args: tuple[Any, ...], output: Any, word: int, modes: Modes) -> Any:
        """Run the rest of `complete`, after the kernel, which returned an array or several."""
        if word & flags.VOLATILE:
            return volatile.spread(finish(self, args, output, 0, modes))
        return finish(self, args, output, word, modes)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return out.call(self, args, kwargs) if "out" in kwargs else self.run(bind(self, args, kwargs))
        except Exception as error:
            if isinstance(error, TypeError):  # an argument that is not a tensor may have a `__torch_function__`
                from . import overriding

                result: Any = overriding.of_strangers(self, args, kwargs)
                if result is not overriding.NOBODY:
                    return result
            shorten(error, self.name, self.body)
            raise

    def __get__(self, instance: Any, owner: Any) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __reduce__(self) -> tuple[Any, ...]:
        return getattr, (Tensor, self.name)

    def __repr__(self) -> str:
        return f"<operator {self.name}>"


def begin_calls(op: Op) -> None:
    """Prepare an operator for calls: once, when its declaration is complete."""
    vectorcall.begin(op, REQUIRED, Tensor)


def run_bound(op: Op, args: tuple[Any, ...]) -> Any:
    """Apply an operator to all its arguments, unchanged."""
    return op.run(read_plain(op, args))
