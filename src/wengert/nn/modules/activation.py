"""Activations: elementwise functions, and softmax."""

from __future__ import annotations

from ..._tensor import Tensor
from .. import functional
from .activation_forms import (
    CELU as CELU,
    GLU as GLU,
    SELU as SELU,
    Hardshrink as Hardshrink,
    Hardsigmoid as Hardsigmoid,
    Hardswish as Hardswish,
    Hardtanh as Hardtanh,
    LogSigmoid as LogSigmoid,
    Mish as Mish,
    PReLU as PReLU,
    ReLU6 as ReLU6,
    RReLU as RReLU,
    Softmax2d as Softmax2d,
    Softmin as Softmin,
    Softshrink as Softshrink,
    Softsign as Softsign,
    Tanhshrink as Tanhshrink,
    Threshold as Threshold,
)
from .attention import MultiheadAttention as MultiheadAttention
from .module import Module


class ReLU(Module):
    """`max(x, 0)`; `inplace`: write into the input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.relu(input, self.inplace)

    def extra_repr(self) -> str:
        """The option `inplace`."""
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """`x` where positive, else `negative_slope * x`; `inplace`: write into the input."""

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class ELU(Module):
    """`x` where positive, else `alpha * (exp(x) - 1)`; `inplace`: write into the input.

    Source: Clevert, Unterthiner and Hochreiter, Fast and Accurate Deep Network Learning by ELUs, 2016.
    """

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.elu(input, self.alpha, self.inplace)

    def extra_repr(self) -> str:
        """The options."""
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class GELU(Module):
    """`x` times the standard normal distribution function; `approximate`: "none", or "tanh" for the common formula.

    Source: Hendrycks and Gimpel, Gaussian Error Linear Units, 2016.
    """

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        """The form."""
        return f"approximate={self.approximate!r}"


class SiLU(Module):
    """`x * sigmoid(x)`; `inplace`: write into the input."""

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.silu(input, self.inplace)

    def extra_repr(self) -> str:
        """The option `inplace`."""
        return "inplace=True" if self.inplace else ""


class Sigmoid(Module):
    """`1 / (1 + exp(-x))`."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return input.sigmoid()


class Tanh(Module):
    """The hyperbolic tangent."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return input.tanh()


class Softmax(Module):
    """`exp(x)` divided by its sum over `dim`; without `dim` one is chosen, with a warning."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Positive values that sum to 1 over the dimension."""
        return functional.softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class LogSoftmax(Module):
    """The logarithm of `Softmax`, computed without overflow."""

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """Logarithms of probabilities over the dimension."""
        return functional.log_softmax(input, self.dim, _stacklevel=5)

    def extra_repr(self) -> str:
        """The dimension."""
        return f"dim={self.dim}"


class Softplus(Module):
    """`log(1 + exp(beta * x)) / beta`, and `x` itself where `beta * x` exceeds `threshold`."""

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        """The options."""
        return f"beta={self.beta}, threshold={self.threshold}"
