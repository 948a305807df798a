"""Activations of `torch.nn.functional`, which choose among operators: in place or not, over which dimension."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from ..ops import FUNCTIONAL, Truth, plain_case
from ..ops.neural import gates
from ..ops.neural.softmax import log_softmax_along, softmax_along
from ..ops.pointwise import activation, piecewise, smooth
from ..ops.warned import warn


def relu(input: Tensor, inplace: Truth = False) -> Tensor:
    """`max(x, 0)`; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.relu(wg.tensor([-1.0, 0.0, 2.0]))
        tensor([0., 0., 2.])
    """
    return input.relu_() if inplace else input.relu()


def applied(card: Any, inplace: bool, *args: Any) -> Any:
    """Apply an operator, in place or not."""
    return (card.in_place if inplace else card)(*args)


def silu(input: Tensor, inplace: Truth = False) -> Tensor:
    """`x * sigmoid(x)`; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.silu(wg.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.2689,  0.0000,  1.7616])
    """
    return applied(activation.silu, inplace, input)


def mish(input: Tensor, inplace: Truth = False) -> Tensor:
    """`x * tanh(softplus(x))`; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.mish(wg.tensor([-1.0, 0.0, 2.0]))
        tensor([-0.3034,  0.0000,  1.9440])
    """
    return applied(smooth.mish, inplace, input)


def leaky_relu(input: Tensor, negative_slope: float = 0.01, inplace: Truth = False) -> Tensor:
    """`x` where positive, else `negative_slope * x`; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.leaky_relu(wg.tensor([-1.0, 2.0]), 0.1)
        tensor([-0.1000,  2.0000])
    """
    return applied(piecewise.leaky_relu, inplace, input, negative_slope)


def elu(input: Tensor, alpha: float = 1.0, inplace: Truth = False) -> Tensor:
    """`x` where positive, else `alpha * (exp(x) - 1)`; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.elu(wg.tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])
    """
    return applied(piecewise.elu, inplace, input, alpha)


def selu(input: Tensor, inplace: Truth = False) -> Tensor:
    """`elu` with the constants that keep mean 0 and variance 1 from layer to layer; `inplace`: written into the input.

    Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.selu(wg.tensor([-1.0, 2.0]))
        tensor([-1.1113,  2.1014])
    """
    if inplace:
        alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
        return piecewise.elu.in_place(input, alpha, scale)
    return piecewise.selu(input)


def celu(input: Tensor, alpha: float = 1.0, inplace: Truth = False) -> Tensor:
    """`x` where positive, else `alpha * (exp(x / alpha) - 1)`; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.celu(wg.tensor([-1.0, 2.0]), 0.5)
        tensor([-0.4323,  2.0000])
    """
    return applied(piecewise.celu, inplace, input, alpha)


def hardtanh(input: Tensor, min_val: float = -1.0, max_val: float = 1.0, inplace: Truth = False) -> Tensor:
    """`x` cut to [min_val, max_val]; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.hardtanh(wg.tensor([-3.0, 0.5, 2.0]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    return applied(piecewise.hardtanh, inplace, input, min_val, max_val)


def relu6(input: Tensor, inplace: Truth = False) -> Tensor:
    """`x` cut to [0, 6]; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.relu6(wg.tensor([-1.0, 3.0, 8.0]))
        tensor([0., 3., 6.])
    """
    return applied(piecewise.hardtanh, inplace, input, 0.0, 6.0)


def hardsigmoid(input: Tensor, inplace: Truth = False) -> Tensor:
    """`x / 6 + 1 / 2` cut to [0, 1]; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.hardsigmoid(wg.tensor([-4.0, 0.0, 1.5]))
        tensor([0.0000, 0.5000, 0.7500])
    """
    return applied(piecewise.hardsigmoid, inplace, input)


def hardswish(input: Tensor, inplace: Truth = False) -> Tensor:
    """`x * hardsigmoid(x)`; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.hardswish(wg.tensor([-4.0, 1.0, 4.0]))
        tensor([-0.0000, 0.6667, 4.0000])
    """
    return applied(piecewise.hardswish, inplace, input)


def threshold(input: Tensor, threshold: float, value: float, inplace: Truth = False) -> Tensor:
    """`x` where above the threshold, else `value`; `inplace`: written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.threshold(wg.tensor([0.5, 1.5]), 1, -1)
        tensor([-1.0000,  1.5000])
    """
    return applied(piecewise.threshold, inplace, input, threshold, value)


def sigmoid(input: Tensor) -> Tensor:
    """`1 / (1 + exp(-x))`.

    Args:
        input: tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.sigmoid(wg.tensor([-1.0, 0.0, 1.0]))
        tensor([0.2689, 0.5000, 0.7311])
    """
    return input.sigmoid()


def tanh(input: Tensor) -> Tensor:
    """The hyperbolic tangent.

    Args:
        input: tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.tanh(wg.tensor([-1.0, 0.0, 1.0]))
        tensor([-0.7616,  0.0000,  0.7616])
    """
    return input.tanh()


def implicit_dim(name: str, ndim: int, stacklevel: int) -> int:
    """Default dimension of a softmax, with a warning: the convention of torch's early days."""
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


def softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """`exp(x)` divided by its sum over `dim`.

    Args:
        input: floating-point tensor.
        dim: the dimension; None for a default by the number of dimensions, with a warning.
        _stacklevel: ignored; torch's parameter.
        dtype: to convert the input to first.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.softmax(wg.tensor([[0.0, 1.0], [2.0, 2.0]]), dim=1)
        tensor([[0.2689, 0.7311],
                [0.5000, 0.5000]])
    """
    dim = implicit_dim("softmax", input.ndim, _stacklevel) if dim is None else dim
    return input.softmax(dim, dtype=dtype)


def log_softmax(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """The logarithm of `softmax`, computed without overflow; arguments as there.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.log_softmax(wg.tensor([[0.0, 1.0], [2.0, 2.0]]), dim=1)
        tensor([[-1.3133, -0.3133],
                [-0.6931, -0.6931]])
    """
    dim = implicit_dim("log_softmax", input.ndim, _stacklevel) if dim is None else dim
    return input.log_softmax(dim, dtype=dtype)


def softmin(input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Any = None) -> Tensor:
    """`softmax` of the negated input; arguments as there.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.softmin(wg.tensor([[0.0, 1.0], [2.0, 2.0]]), dim=1)
        tensor([[0.7311, 0.2689],
                [0.5000, 0.5000]])
    """
    dim = implicit_dim("softmin", input.ndim, _stacklevel) if dim is None else dim
    return (-input).softmax(dim, dtype=dtype)


def rrelu(
    input: Tensor, lower: float = 1.0 / 8, upper: float = 1.0 / 3, training: bool = False, inplace: Truth = False
) -> Tensor:
    """`x` where positive, else `a * x`: `a` is the mean of `lower` and `upper`, in training drawn between them.

    Args:
        input: floating tensor.
        lower, upper: limits of `a`.
        training: whether `a` is drawn for each element.
        inplace: whether the result is written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.rrelu(wg.tensor([-2.0, 3.0]), 0.1, 0.3)
        tensor([-0.4000,  3.0000])
    """
    return (gates.rrelu_ if inplace else gates.rrelu)(input, lower, upper, training)


def glu(input: Tensor, dim: int = -1) -> Tensor:
    """The first half along a dimension times the sigmoid of the second.

    Args:
        input: floating tensor.
        dim: the dimension, whose length is even.

    Raises:
        RuntimeError: if the length is odd, or the input has no dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.glu(wg.tensor([1.0, 2.0, 0.0, 1.0]))
        tensor([0.5000, 1.4621])
    """
    if not input.ndim:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    return gates.glu(input, dim)


def gumbel_softmax(logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1) -> Tensor:
    """Draw differentiable samples of a categorical distribution.

    Args:
        logits: scores, logarithms of probabilities up to a constant.
        tau: the temperature; small ones give samples near to a single class.
        hard: return 1 for one class and 0 for the others, with the gradient of the soft sample.
        eps: without effect.
        dim: the dimension of the classes.

    Source: Jang et al., Categorical reparameterization with Gumbel-softmax, 2017.

    Examples:
        >>> import wengert as wg
        >>> _ = wg.manual_seed(0)
        >>> wg.nn.functional.gumbel_softmax(wg.tensor([[0.0, 1.0, 2.0]]), hard=True)
        tensor([[0., 0., 1.]])
    """
    if eps != 1e-10:
        warn("`eps` parameter is deprecated and has no effect.")
    scores: Any = logits
    noise = -scores.new_empty(scores.shape).exponential_().log()
    soft = ((scores + noise) / tau).softmax(dim)
    if not hard:
        return soft
    chosen_one = scores.new_zeros(scores.shape).scatter_(dim, soft.argmax(dim, keepdim=True), 1.0)
    return chosen_one - soft.detach() + soft


def elu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`elu` written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.elu_(wg.tensor([-1.0, 2.0]))
        tensor([-0.6321,  2.0000])
    """
    return applied(piecewise.elu, True, input, alpha)


def leaky_relu_(input: Tensor, negative_slope: float = 0.01) -> Tensor:
    """`leaky_relu` written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.leaky_relu_(wg.tensor([-1.0, 2.0]), 0.1)
        tensor([-0.1000,  2.0000])
    """
    return applied(piecewise.leaky_relu, True, input, negative_slope)


def hardtanh_(input: Tensor, min_val: float = -1.0, max_val: float = 1.0) -> Tensor:
    """`hardtanh` written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.hardtanh_(wg.tensor([-3.0, 0.5, 2.0]))
        tensor([-1.0000,  0.5000,  1.0000])
    """
    return applied(piecewise.hardtanh, True, input, min_val, max_val)


def threshold_(input: Tensor, threshold: float, value: float) -> Tensor:
    """`threshold` written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.threshold_(wg.tensor([0.5, 1.5]), 1, -1)
        tensor([-1.0000,  1.5000])
    """
    return applied(piecewise.threshold, True, input, threshold, value)


rectified_in_place = activation.relu.in_place


def relu_(input: Tensor) -> Tensor:
    """`relu` written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.relu_(wg.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    return rectified_in_place(input)


def celu_(input: Tensor, alpha: float = 1.0) -> Tensor:
    """`celu` written into the input.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.celu_(wg.tensor([-1.0, 2.0]), 0.5)
        tensor([-0.4323,  2.0000])
    """
    return applied(piecewise.celu, True, input, alpha)


relu = plain_case(relu, activation.relu, module=FUNCTIONAL)
silu = plain_case(silu, activation.silu, module=FUNCTIONAL)
sigmoid = plain_case(sigmoid, activation.sigmoid, module=FUNCTIONAL)
tanh = plain_case(tanh, activation.tanh, module=FUNCTIONAL)
softmax = plain_case(softmax, softmax_along, module=FUNCTIONAL)
log_softmax = plain_case(log_softmax, log_softmax_along, module=FUNCTIONAL)
glu = plain_case(glu, gates.glu, module=FUNCTIONAL)
