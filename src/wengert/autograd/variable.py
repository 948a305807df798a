"""`Variable`: how the first generation of the API put tensors into the graph."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from .._core import errors, flags
from .._core.calls.volatile import mark
from .._core.state.modes import current
from .._core.tensor.base import meta_of
from .._core.tensor.reading import detach as detached
from .._tensor import Tensor


class ExecutionEngine:
    """What programs ask of the engine itself: `Variable._execution_engine`."""

    def queue_callback(self, callback: Callable[[], object], /) -> None:
        """Call `callback()` when the backward pass that is under way has all its gradients.

        Callbacks are called in the order in which they were queued, also those that other callbacks queue, in the modes
        of the pass. An error in one ends the pass with it; if the pass itself fails, none is called.

        Raises:
            RuntimeError: no backward pass is under way in this thread.

        >>> import wengert as wg
        >>> x = wg.ones(2, requires_grad=True)
        >>> engine = wg.autograd.Variable._execution_engine
        >>> handle = x.register_hook(lambda grad: engine.queue_callback(lambda: print(x.grad)))
        >>> (x * 3).sum().backward()
        tensor([3., 3.])
        """
        passing = current().passing
        if passing is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        if passing.callbacks is None:
            passing.callbacks = []
        passing.callbacks.append(callback)

    def is_checkpoint_valid(self) -> bool:
        """Whether no backward pass is under way that was asked for some gradients only."""
        return not current().this_pass().partial


class VariableMeta(type):
    """Every tensor is an instance of `Variable`."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """A tensor on the memory of `data`, outside the graph that `data` may belong to: what `Variable` and tensor shared
    out among them in the first generation of the API is one class now.

    Whatever is computed with a volatile variable has no history and saves nothing, whatever else requires a gradient:
    one volatile input is enough. It is `volatile` in turn. Programs of today use `no_grad()`.

    Args:
        data: tensor; an empty one if not given.
        requires_grad: whether operations on the variable are recorded.
        volatile: whether nothing that is computed with it is recorded.
        name: a name for the variable.

    Returns:
        A tensor that shares memory and version counter with `data`.

    Raises:
        TypeError: `data` is no tensor, `name` no text.
        ValueError: both flags are set: a volatile variable does not require a gradient.
        RuntimeError: a gradient is required of integers or booleans.

    >>> import wengert as wg
    >>> x = wg.autograd.Variable(wg.ones(2), requires_grad=True)
    >>> y = (x * x).sum()
    >>> y.creator is y.grad_fn
    True
    >>> isinstance(y, wg.autograd.Variable)
    True
    """

    _execution_engine = ExecutionEngine()

    def __new__(
        cls, data: Any = None, requires_grad: bool = False, volatile: bool = False, *, name: str | None = None
    ) -> Any:
        """See the class."""
        if data is not None and not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"Variable(): argument 'name' must be str or None, not {type(name).__name__}")
        if volatile:
            warnings.warn(errors.VOLATILE_DEPRECATED, DeprecationWarning, stacklevel=2)
            if requires_grad:
                raise ValueError(errors.VOLATILE_REQUIRES_GRAD)
        variable = Tensor() if data is None else detached(data)
        if requires_grad and variable._array_.dtype.kind not in "fcV":
            raise RuntimeError(errors.FACTORY_REQUIRES_GRAD)
        variable._flags_ &= ~flags.VOLATILE
        variable.requires_grad = bool(requires_grad)
        if volatile:
            mark(variable)
        if name is not None:
            meta_of(variable).name = name
        return variable


def variable(*args: Any, **kwargs: Any) -> None:
    """What stands under `autograd.variable`: kept to say what has taken its place.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError(
        "torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead (or Variable(tensor), for a "
        "tensor outside its graph)"
    )


variable.Variable = Variable  # type: ignore[attr-defined]

__all__ = ["ExecutionEngine", "Variable", "VariableMeta", "variable"]
