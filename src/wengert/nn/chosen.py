"""Functions of `torch.nn.functional` that choose among operators: in place or not, over which dimension."""

from __future__ import annotations

import warnings
from typing import Any

from ..ops import plain_function
from ..ops.neural.softmax import log_softmax_along, softmax_along
from ..ops.pointwise import activation, piecewise, smooth
from ..tensor import Tensor


def relu(input: Tensor, inplace: bool = False) -> Tensor:
    """`max(x, 0)`; `inplace`: written into the input."""
    return input.relu_() if inplace else input.relu()  # type: ignore[attr-defined, no-any-return]


def chosen(card: Any, inplace: bool, *args: Any) -> Any:
    """An operator applied, in place or not."""
    return (card.in_place if inplace else card)(*args)


def silu(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * sigmoid(x)`; `inplace`: written into the input."""
    return chosen(activation.silu, inplace, input)  # type: ignore[no-any-return]


def mish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * tanh(softplus(x))`; `inplace`: written into the input."""
    return chosen(smooth.mish, inplace, input)  # type: ignore[no-any-return]


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: bool = False) -> Tensor:
    """`x` where positive, else `negative_slope * x`; `inplace`: written into the input."""
    return chosen(piecewise.leaky_relu, inplace, input, negative_slope)  # type: ignore[no-any-return]


def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` where positive, else `alpha * (exp(x) - 1)`; `inplace`: written into the input."""
    return chosen(piecewise.elu, inplace, input, alpha)  # type: ignore[no-any-return]


def selu(input: Tensor, inplace: bool = False) -> Tensor:
    """`elu` with the constants that keep mean 0 and variance 1 from layer to layer; `inplace`: written into the input.

    Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.
    """
    if inplace:
        alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
        return piecewise.elu.in_place(input, alpha, scale)  # type: ignore[no-any-return, union-attr, misc]
    return piecewise.selu(input)  # type: ignore[no-any-return]


def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` where positive, else `alpha * (exp(x / alpha) - 1)`; `inplace`: written into the input."""
    return chosen(piecewise.celu, inplace, input, alpha)  # type: ignore[no-any-return]


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False) -> Tensor:
    """`x` cut to [min_val, max_val]; `inplace`: written into the input."""
    return chosen(piecewise.hardtanh, inplace, input, min_val, max_val)  # type: ignore[no-any-return]


def relu6(input: Tensor, inplace: bool = False) -> Tensor:
    """`x` cut to [0, 6]; `inplace`: written into the input."""
    return chosen(piecewise.hardtanh, inplace, input, 0.0, 6.0)  # type: ignore[no-any-return]


def hardsigmoid(input: Tensor, inplace: bool = False) -> Tensor:
    """`x / 6 + 1 / 2` cut to [0, 1]; `inplace`: written into the input."""
    return chosen(piecewise.hardsigmoid, inplace, input)  # type: ignore[no-any-return]


def hardswish(input: Tensor, inplace: bool = False) -> Tensor:
    """`x * hardsigmoid(x)`; `inplace`: written into the input."""
    return chosen(piecewise.hardswish, inplace, input)  # type: ignore[no-any-return]


def threshold(input: Tensor, threshold: float, value: float, inplace: bool = False) -> Tensor:
    """`x` where above the threshold, else `value`; `inplace`: written into the input."""
    return chosen(piecewise.threshold, inplace, input, threshold, value)  # type: ignore[no-any-return]


def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-x))`."""
    return input.sigmoid()  # type: ignore[attr-defined, no-any-return]


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return input.tanh()  # type: ignore[attr-defined, no-any-return]


def implicit_dim(name: str, ndim: int, stacklevel: int) -> int:
    """The dimension of a softmax that was not told one: the habit of torch's early days."""
    warnings.warn(
        f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.",
        stacklevel=stacklevel,
    )
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """`exp(x)` divided by its sum over `dim`.

    Args:
        input: floating-point tensor.
        dim: the dimension; without it one is chosen, with a warning.
        _stacklevel: for torch's users.
        dtype: to convert the input to first.
    """
    dim = implicit_dim("softmax", input.ndim, _stacklevel) if dim is None else dim
    return input.softmax(dim, dtype=dtype)  # type: ignore[attr-defined, no-any-return]


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, computed without overflow; arguments as there."""
    dim = implicit_dim("log_softmax", input.ndim, _stacklevel) if dim is None else dim
    return input.log_softmax(dim, dtype=dtype)  # type: ignore[attr-defined, no-any-return]


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """`softmax` of the negated input; arguments as there."""
    dim = implicit_dim("softmin", input.ndim, _stacklevel) if dim is None else dim
    return (-input).softmax(dim, dtype=dtype)  # type: ignore[attr-defined, no-any-return]


def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """`x1 @ weight[k] @ x2 + bias[k]` for each output feature k.

    Args:
        input1: (..., first).
        input2: (..., second).
        weight: (features, first, second).
        bias: (features,), or None.

    Returns:
        A new tensor (..., features).

    Raises:
        RuntimeError: the shapes do not fit.
    """
    features, first, second = weight.shape
    if input1.shape[:-1] != input2.shape[:-1] or (input1.shape[-1], input2.shape[-1]) != (first, second):
        raise RuntimeError(
            f"bilinear(): expected inputs (..., {first}) and (..., {second}), got {input1.shape} and {input2.shape}"
        )
    products = input1.reshape(-1, first, 1) * input2.reshape(-1, 1, second)  # type: ignore[attr-defined]
    result = products.reshape(-1, first * second) @ weight.reshape(features, first * second).t()  # type: ignore[attr-defined]
    result = result.view(*input1.shape[:-1], features)
    return result if bias is None else result + bias  # type: ignore[no-any-return]


relu = plain_function(relu, activation.relu)  # type: ignore[assignment]
silu = plain_function(silu, activation.silu)  # type: ignore[assignment]
sigmoid = plain_function(sigmoid, activation.sigmoid)  # type: ignore[assignment]
tanh = plain_function(tanh, activation.tanh)  # type: ignore[assignment]
softmax = plain_function(softmax, softmax_along)  # type: ignore[assignment]
log_softmax = plain_function(log_softmax, log_softmax_along)  # type: ignore[assignment]
