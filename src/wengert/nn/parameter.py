"""Parameters and buffers: tensors that modules own."""

from __future__ import annotations

from typing import Any

from ..tensor import Tensor


class Parameter(Tensor):
    """A tensor that a module registers as its parameter when it is assigned to an attribute.

    Args:
        data: tensor whose memory the parameter shares; an empty one if not given.
        requires_grad: whether operations on it are recorded, also when it is made under `no_grad`.

    Raises:
        TypeError: `data` is not a tensor.
        RuntimeError: a gradient is required of integers or booleans.
    """

    def __init__(self, data: Tensor | None = None, requires_grad: bool = True) -> None:
        if data is None:
            super().__init__()
        elif isinstance(data, Tensor):
            super().__init__(data)
        else:
            raise TypeError(f"Parameter(): data must be a Tensor, not {type(data).__name__}; use wengert.tensor(data)")
        if requires_grad and not (self.dtype.is_floating_point or self.dtype.is_complex):
            raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
        self.requires_grad = requires_grad

    def __repr__(self) -> str:
        return "Parameter containing:\n" + super().__repr__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        if id(self) not in memo:
            with_values = type(self).__new__(type(self))
            Tensor.__init__(with_values, self.detach().clone())  # type: ignore[attr-defined]
            with_values.requires_grad = self.requires_grad
            memo[id(self)] = with_values
        return memo[id(self)]  # type: ignore[no-any-return]


class Buffer(Tensor):
    """A tensor that a module registers as its buffer when it is assigned to an attribute.

    Args:
        data: tensor whose memory the buffer shares; an empty one if not given.
        persistent: whether it is part of the module's `state_dict`.
    """

    def __init__(self, data: Tensor | None = None, *, persistent: bool = True) -> None:
        super().__init__(*(() if data is None else (data,)))
        self.persistent = persistent
