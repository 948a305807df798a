"""Activations: elementwise functions, and softmax."""

from __future__ import annotations

from typing import Any, ClassVar

from ..._tensor import Tensor
from ...ops.create.placed import full
from ...ops.warned import warn
from .. import functional
from ..init import constant_
from ..parameter import Parameter
from .attention import MultiheadAttention as MultiheadAttention
from .module import Module
from .utils import name_constructor


class _InPlace(Module):
    """An activation with the option `inplace`: write into the input."""

    __init_subclass__: Any = classmethod(name_constructor)

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        """The options, and `inplace` if it is set."""
        options = super().extra_repr()
        return options + (", inplace=True" if options else "inplace=True") if self.inplace else options


class _Unsaid(_InPlace):
    """An activation whose `repr` does not show `inplace`, as in torch."""

    def extra_repr(self) -> str:
        """Nothing."""
        return ""


class _Shrink(Module):
    """A function with a gap of width `lambd` on each side of zero."""

    __init_subclass__: Any = classmethod(name_constructor)

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        """The width."""
        return str(self.lambd)


class _Softmax(Module):
    """An activation along a dimension; without one it is chosen, with a warning."""

    _options_shown = ("dim",)

    __init_subclass__: Any = classmethod(name_constructor)

    def __init__(self, dim: int | None = None) -> None:
        super().__init__()
        self.dim = dim


class ReLU(_InPlace):
    """`max(x, 0)`; `inplace`: write into the input."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.relu(input, self.inplace)


class LeakyReLU(_InPlace):
    """`x` where positive, else `negative_slope * x`; `inplace`: write into the input."""

    _options_shown = ("negative_slope",)

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.negative_slope = negative_slope

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.leaky_relu(input, self.negative_slope, self.inplace)


class ELU(_InPlace):
    """`x` where positive, else `alpha * (exp(x) - 1)`; `inplace`: write into the input.

    Source: Clevert, Unterthiner and Hochreiter, Fast and Accurate Deep Network Learning by ELUs, 2016.
    """

    _options_shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.elu(input, self.alpha, self.inplace)


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


class SiLU(_InPlace):
    """`x * sigmoid(x)`; `inplace`: write into the input."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.silu(input, self.inplace)


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


class Softmax(_Softmax):
    """`exp(x)` divided by its sum over `dim`; without `dim` one is chosen, with a warning."""

    def forward(self, input: Tensor) -> Tensor:
        """Positive values that sum to 1 over the dimension."""
        return functional.softmax(input, self.dim, _stacklevel=5)


class LogSoftmax(_Softmax):
    """The logarithm of `Softmax`, computed without overflow."""

    def forward(self, input: Tensor) -> Tensor:
        """Logarithms of probabilities over the dimension."""
        return functional.log_softmax(input, self.dim, _stacklevel=5)


class Softplus(Module):
    """`log(1 + exp(beta * x)) / beta`, and `x` itself where `beta * x` exceeds `threshold`."""

    _options_shown = ("beta", "threshold")

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.softplus(input, self.beta, self.threshold)


class SELU(_InPlace):
    """`ELU` with the constants that keep mean 0 and variance 1; `inplace`: write into the input.

    Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.
    """

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.selu(input, self.inplace)


class Mish(_InPlace):
    """`x * tanh(softplus(x))`; `inplace`: write into the input. Source: Misra, Mish, 2019."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.mish(input, self.inplace)


class Hardswish(_Unsaid):
    """`x * hardsigmoid(x)`; `inplace`: write into the input."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.hardswish(input, self.inplace)


class Hardsigmoid(_Unsaid):
    """`x / 6 + 1 / 2` cut to [0, 1]; `inplace`: write into the input."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.hardsigmoid(input, self.inplace)


class CELU(_InPlace):
    """`x` where positive, else `alpha * (exp(x / alpha) - 1)`; `inplace`: write into the input."""

    _options_shown = ("alpha",)

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.alpha = alpha

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.celu(input, self.alpha, self.inplace)


class Hardtanh(_InPlace):
    """`x` cut to [min_val, max_val]; `inplace`: write into the input.

    Args:
        min_val, max_val: the limits.
        inplace: whether the result is written into the input.
        min_value, max_value: older names of the limits.

    Raises:
        AssertionError: if the lower limit is not below the upper one.
    """

    _options_shown: ClassVar[tuple[str, ...]] = ("min_val", "max_val")

    def __init__(
        self,
        min_val: float = -1.0,
        max_val: float = 1.0,
        inplace: bool = False,
        min_value: float | None = None,
        max_value: float | None = None,
    ) -> None:
        super().__init__(inplace)
        for name, value in (("min", min_value), ("max", max_value)):
            if value is not None:
                old = f"keyword argument `{name}_value` is deprecated and renamed to `{name}_val`"
                warn(old, FutureWarning)
        min_val, max_val = min_val if min_value is None else min_value, max_val if max_value is None else max_value
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        self.min_val = min_val
        self.max_val = max_val

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.hardtanh(input, self.min_val, self.max_val, self.inplace)


class ReLU6(Hardtanh):
    """`x` cut to [0, 6]; `inplace`: write into the input."""

    _options_shown = ()

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.relu6(input, self.inplace)


class Threshold(_InPlace):
    """`x` where above `threshold`, else `value`; `inplace`: write into the input."""

    _options_shown = ("threshold", "value")

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.threshold = threshold
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.threshold(input, self.threshold, self.value, self.inplace)


class Softsign(Module):
    """`x / (1 + |x|)`."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.softsign(input)


class Tanhshrink(Module):
    """`x - tanh(x)`."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.tanhshrink(input)


class LogSigmoid(Module):
    """`log(1 / (1 + exp(-x)))`, computed without overflow."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.logsigmoid(input)


class Softshrink(_Shrink):
    """`x` moved towards zero by `lambd`, and zero where `|x|` is at most `lambd`."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.softshrink(input, self.lambd)


class Hardshrink(_Shrink):
    """`x`, but zero where it is within `lambd` of zero."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.hardshrink(input, self.lambd)


class Softmin(_Softmax):
    """`Softmax` of the negated input."""

    def forward(self, input: Tensor) -> Tensor:
        """Positive values that sum to 1 over the dimension."""
        return functional.softmin(input, self.dim, _stacklevel=5)


class PReLU(Module):
    """`x` where positive, else `weight * x`, with a learned weight.

    Args:
        num_parameters: 1, or the number of channels.
        init: initial value of the weight.
        device: "cpu".
        dtype: of the weight.

    Source: He et al., Delving Deep into Rectifiers, 2015.
    """

    _options_shown = ("num_parameters",)

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(full((num_parameters,), float(init), device=device, dtype=dtype))

    def reset_parameters(self) -> None:
        """Fill the weight with its initial value."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element; several weights belong to the second dimension."""
        return functional.prelu(input, self.weight)


class Softmax2d(Module):
    """Softmax over the channels of (N, C, H, W) or (C, H, W)."""

    def forward(self, input: Tensor) -> Tensor:
        """Positive values that sum to 1 over the channels.

        Raises:
            ValueError: if the input has neither 3 nor 4 dimensions.
        """
        if input.ndim not in (3, 4):
            raise ValueError(f"Softmax2d: expected input to be 3D or 4D, got {input.ndim}D instead")
        return functional.softmax(input, -3, _stacklevel=5)


class GLU(Module):
    """The first half along a dimension times the sigmoid of the second."""

    _options_shown = ("dim",)

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        """A tensor half as long along the dimension."""
        return functional.glu(input, self.dim)


class RReLU(_InPlace):
    """`x` where positive, else `x` times a factor, which is random for each element in training.

    Args:
        lower: least factor.
        upper: greatest factor; in evaluation the factor is the mean of both.
        inplace: write into the input.

    Source: Xu et al., Empirical Evaluation of Rectified Activations in Convolutional Network, 2015.
    """

    _options_shown = ("lower", "upper")

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__(inplace)
        self.lower = lower
        self.upper = upper

    def forward(self, input: Tensor) -> Tensor:
        """Apply the function to each element."""
        return functional.rrelu(input, self.lower, self.upper, self.training, self.inplace)
