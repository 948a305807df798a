"""Functions whose plain case is one operator (`view`, `matmul`) or one native function (`tensor`, `zeros`)."""

from __future__ import annotations

from typing import Any

try:
    import cython
except ImportError:
    from .. import plain as cython  # type: ignore[no-redef]

from .. import door
from ..calls.dispatch import attempt
from ..calls.op import Op
from ..tensor.base import Tensor, wrap
from ..types.dtypes import get_default_dtype

COMPILED = cython.compiled
"""Whether calls reach a plain case before its function; interpreted, they would only take longer."""


class PlainCase(Op):
    """A function made of operators, with the native function of its plain case.

    Calls bind their arguments as those of `op`. What that native function does not know goes to the function as it was
    given; interpreted, every call does.

    Attributes:
        op: the operator that is recorded in the plain case.
        function: called for everything else.
    """

    op: Op
    function: Any

    __slots__ = ("function", "op")

    def run(self, args: tuple[Any, ...]) -> Any:
        """The plain case; NotImplemented if it is not one."""
        if self.native is None:
            return NotImplemented
        for value in args:
            if isinstance(value, list):  # the program may write to it before a view is taken again
                return NotImplemented
        return attempt(self.op, self.native, args)

    def call2(self, a: Any, b: Any) -> Any:
        """Apply to two operands; NotImplemented if one is no tensor."""
        if not isinstance(a, Tensor) or not isinstance(b, Tensor):
            return NotImplemented
        made: Any = self.run((a, b))
        return self.function(a, b) if made is NotImplemented else made

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.function(*args, **kwargs)


class Factory:
    """A factory, with the native function of its plain case: new tensors of the default dtype from plain arguments.

    Attributes:
        native: called with NumPy's name of the default dtype and the positional arguments; makes an array, or returns
            NotImplemented.
        function: called for everything else.
    """

    native: Any
    function: Any

    __slots__ = ("function", "native")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if not kwargs or (len(kwargs) == 1 and kwargs.get("requires_grad") is True):
            made: Any = self.native(get_default_dtype().numpy, *args)
            if made is not NotImplemented and (not kwargs or door.is_inexact(made)):
                result: Tensor = wrap(made)
                if kwargs:
                    result.requires_grad = True
                return result
        return self.function(*args, **kwargs)
