"""`Variable`: the tensor of the first generation of the API."""

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
    """Interface of the engine for programs: `Variable._execution_engine`."""

    def queue_callback(self, callback: Callable[[], object], /) -> None:
        """Call `callback()` when the current backward pass has computed all its gradients.

        Callbacks, also those queued by other callbacks, are called in order, in the modes of the pass. An error in a
        callback ends the pass with that error; if the pass itself fails, no callback is called.

        Raises:
            RuntimeError: if no backward pass is under way in this thread.

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
        """Return whether no backward pass that computes only some gradients is under way."""
        return not current().this_pass().partial


class VariableMeta(type):
    """Metaclass that makes every tensor an instance of `Variable`."""

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, Tensor)


class Variable(metaclass=VariableMeta):
    """Return a tensor on the memory of `data`, detached from its graph.

    In the first generation of the API `Variable` and tensor were two classes. A result with a volatile input has no
    history, saves nothing, and is `volatile` in turn, whatever other inputs require a gradient. Use `no_grad()`
    instead.

    Args:
        data: a tensor; by default an empty one.
        requires_grad: whether operations on the variable are recorded.
        volatile: whether operations on the variable are never recorded.
        name: a name for the variable.

    Returns:
        A tensor that shares memory and version counter with `data`.

    Raises:
        TypeError: if `data` is not a tensor, or `name` not a string.
        ValueError: if both `requires_grad` and `volatile` are set.
        RuntimeError: if a gradient is required of integers or booleans.

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
        """Return the tensor; see the class."""
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
    """Raise an error that names the replacement of `autograd.variable`.

    Raises:
        RuntimeError: always; the function was removed.
    """
    raise RuntimeError(
        "torch.autograd.variable(...) is deprecated, use torch.tensor(...) instead (or Variable(tensor), for a "
        "tensor outside its graph)"
    )


variable.Variable = Variable  # type: ignore[attr-defined]

__all__ = ["ExecutionEngine", "Variable", "VariableMeta", "variable"]
