"""Canonical form of calls of torch's functions in graphs: torch's Python functions pass all arguments by name."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from wengert._core.calls.overriding import members
from wengert._core.tensor.base import Tensor

from .names import qualified_name, resolve

SPELLED = frozenset(
    """
    adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d affine_grid
    alpha_dropout batch_norm binary_cross_entropy binary_cross_entropy_with_logits celu cosine_embedding_loss
    cross_entropy ctc_loss dropout dropout1d dropout2d dropout3d elu embedding embedding_bag feature_alpha_dropout
    fold fractional_max_pool2d fractional_max_pool3d gaussian_nll_loss glu grid_sample group_norm gumbel_softmax
    hardsigmoid hardswish hardtanh hinge_embedding_loss huber_loss instance_norm interpolate kl_div l1_loss
    layer_norm leaky_relu local_response_norm log_softmax lp_pool1d lp_pool2d lp_pool3d margin_ranking_loss
    max_pool1d max_pool2d max_pool3d max_unpool1d max_unpool2d max_unpool3d mish mse_loss
    multi_head_attention_forward multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss nll_loss
    normalize pad poisson_nll_loss relu relu6 rms_norm rrelu selu silu smooth_l1_loss soft_margin_loss softmax
    softmin softsign tanhshrink threshold triplet_margin_loss triplet_margin_with_distance_loss unfold
    """.split()  # noqa: SIM905 - so that it can be read
)
"""Functions of `torch.nn.functional` that torch has in Python."""
SPELLED_TOP = frozenset(("cdist", "lu", "norm", "split", "stft", "tensordot", "unique", "unique_consecutive"))
"""Functions of `torch.functional` that torch has in Python."""
METHODS = frozenset(("sigmoid", "tanh"))
"""Functions of `torch.nn.functional` that call the method."""

METHODS_ALONE = frozenset(("contiguous", "expand", "repeat"))
"""Methods that torch does not have as functions, but this package has."""
COMPARISONS = {f"__{name}__": name for name in ("eq", "ge", "gt", "le", "lt", "ne")}
"""Functions that torch calls for comparisons of tensors."""
ORDER = {
    "norm": ("p", "dim", "keepdim", "out", "dtype"),
    "multi_head_attention_forward": (
        *("training", "key_padding_mask", "need_weights", "attn_mask", "is_causal", "use_separate_proj_weight"),
        *("q_proj_weight", "k_proj_weight", "v_proj_weight", "static_k", "static_v", "average_attn_weights"),
    ),
}
"""Order of torch's parameters where it differs."""
OPERATORS = frozenset("add div eq floor_divide ge gt le lt mul ne pow remainder sub".split())  # noqa: SIM905
"""Functions of Python's operators."""


def spelled(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[str, Any, tuple[Any, ...], dict[str, Any]]:
    """A call of a function of torch as a node has it.

    Returns:
        The kind of the node, its target and its arguments.
    """
    name = getattr(function, "__name__", "")
    if name == "__get__":
        return "call_function", getattr, (args[0], name_of_property(function)), {}
    if is_method(function):
        return "call_method", COMPARISONS.get(name, name), args, kwargs
    path = qualified_name(function)
    space, _, _ = path.rpartition(".")
    if space == "torch.nn.functional" and name in METHODS:
        return "call_method", name, args, kwargs
    if is_called_as_method(path, args):
        return "call_method", name, args, kwargs
    if space == "torch.nn.functional" and "max_pool" in name and kwargs.get("return_indices") is True:
        function = resolve(f"{path}_with_indices") or function
    if (space == "torch.nn.functional" and name in SPELLED) or (space == "torch.functional" and name in SPELLED_TOP):
        args, kwargs = by_name(function, args, kwargs)
    elif path == "torch.functional.meshgrid":
        kwargs = {"indexing": None, **kwargs}
    elif path == "torch.functional.einsum" and len(args) == 2 and isinstance(args[1], (list, tuple)):
        args = (args[0], *args[1])
    return "call_function", function, args, kwargs


def is_method(function: Any) -> bool:
    """Return whether this is a method of Tensor, or in torch exists only as one, such as `__getitem__` or `view`."""
    name = getattr(function, "__name__", "")
    if name.startswith("__") and name.endswith("__"):
        return True
    if members().get(name) is not function:
        return False
    return name in METHODS_ALONE or resolve(f"torch.{name}") is not function


def is_called_as_method(path: str, args: tuple[Any, ...]) -> bool:
    """Return whether this is an operator between a tensor and a proxy: a method in torch, a function here."""
    if len(args) != 2 or not isinstance(args[0], Tensor) or isinstance(args[1], Tensor):
        return False
    return path.removeprefix("torch.") in OPERATORS


def name_of_property(function: Any) -> str:
    """The name of the property that a `__get__` reads."""
    owner = function.__self__
    return next((name for name, value in vars(Tensor).items() if value is owner), getattr(owner, "__name__", "?"))


@functools.cache
def signature_of(function: Callable[..., Any]) -> inspect.Signature | None:
    """The parameters of a function; None if Python does not know them."""
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return None


def by_name(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments without defaults by position, and all others, also omitted ones, by name."""
    signature = signature_of(function)
    if signature is None:
        return args, kwargs
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return args, kwargs
    passed = set(bound.arguments)
    bound.apply_defaults()
    required = [name for name, value in signature.parameters.items() if value.default is value.empty]
    named = {
        name: value
        for name, value in bound.arguments.items()
        if name not in required and (name in passed or not is_omitted(function, name))
    }
    named = {name: named[name] for name in ORDER.get(function.__name__, named)}
    return tuple(bound.arguments[name] for name in required), named


def is_omitted(function: Any, name: str) -> bool:
    """Return whether torch omits a parameter that was not passed."""
    return name in ("cudnn_enable", "cudnn_enabled") or (name == "weight" and function.__name__ == "l1_loss")
