"""Linear maps."""

from __future__ import annotations

import math
from typing import Any

from ..._start.loading import on_demand
from ..._tensor import Tensor
from ...ops.create.placed import empty
from .. import functional, init
from ..parameter import Parameter
from .module import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .lazy_layers import LazyLinear as LazyLinear


class Identity(Module):
    """Return the input unchanged; the constructor takes any arguments."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        return input


class Linear(Module):
    """Linear map of the last dimension: `x @ weight.T + bias`.

    Args:
        in_features: length of the last dimension of the input.
        out_features: length of the last dimension of the result.
        bias: whether the layer has a bias.
        device: "cpu".
        dtype: of the parameters; the default dtype if not given.

    Attributes:
        weight: shape (out_features, in_features); uniform in [-1/sqrt(in_features), 1/sqrt(in_features)) at first.
        bias: shape (out_features,), from the same distribution; or None.
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        init.uniform_within_fan_in(self.weight, self.bias)

    def forward(self, input: Tensor) -> Tensor:
        """The map applied to the last dimension: (..., in_features) to (..., out_features)."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """`Linear` under the name that torch gives the last map of its attention."""


class Bilinear(Module):
    """Bilinear map of two inputs: `x1 @ weight[k] @ x2 + bias[k]` for each output feature k.

    Args:
        in1_features: length of the last dimension of the first input.
        in2_features: length of the last dimension of the second input.
        out_features: length of the last dimension of the result.
        bias: whether the layer has a bias.
        device: "cpu".
        dtype: of the parameters.

    Raises:
        ValueError: if `in1_features` is not positive.
    """

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = Parameter(empty((out_features, in1_features, in2_features), device=device, dtype=dtype))
        self.register_parameter("bias", Parameter(empty(out_features, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw new values."""
        bound = 1 / math.sqrt(self.in1_features)
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Map (..., in1_features) and (..., in2_features) to (..., out_features)."""
        return functional.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """The sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


__getattr__, __dir__ = on_demand(globals())
