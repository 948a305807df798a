"""Private functions of `torch.optim.optimizer` that the optimisers of libraries call."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from .._tensor import Tensor
from .._tensor.attributes import dtypes
from ..autograd import set_grad_enabled
from ..nn.parameter import Parameter
from ..ops.pointwise.complex import view_as_real

__all__ = [
    "Args",
    "DeviceDict",
    "DeviceDtypeDict",
    "Indices",
    "Kwargs",
    "ParamsT",
    "StateDict",
    "TensorListList",
    "_capturable_doc",
    "_default_to_fused_or_foreach",
    "_device_dtype_check_for_fused",
    "_differentiable_doc",
    "_disable_dynamo_if_unsupported",
    "_dispatch_sqrt",
    "_foreach_doc",
    "_foreach_supported_types",
    "_fused_doc",
    "_get_capturable_supported_devices",
    "_get_scalar_dtype",
    "_get_value",
    "_group_tensors_by_device_and_dtype",
    "_maximize_doc",
    "_params_doc",
    "_process_value_according_to_param_policy",
    "_stack_if_compiling",
    "_to_scalar",
    "_use_grad_for_differentiable",
    "_view_as_real",
]

Args: TypeAlias = tuple[Any, ...]
Kwargs: TypeAlias = dict[str, Any]
StateDict: TypeAlias = dict[str, Any]
DeviceDict: TypeAlias = dict[Any, Tensor]
DeviceDtypeDict: TypeAlias = dict[tuple[Any, Any], Tensor]
ParamsT: TypeAlias = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
TensorListList: TypeAlias = list[list[Tensor | None]]
Indices: TypeAlias = list[int]

_foreach_supported_types = [Tensor, Parameter]

_params_doc = "params: parameters, pairs of name and parameter, or dictionaries with `params` and options of their own."
_foreach_doc = "foreach: whether to step over lists of tensors; None leaves the choice to the optimiser."
_fused_doc = "fused: whether to step by one function for all parameters."
_capturable_doc = "capturable: whether a step can be recorded in a graph of an accelerator."
_differentiable_doc = "differentiable: whether the step itself is recorded."
_maximize_doc = "maximize: go up the gradient, not down."
"""Sentences that libraries insert into their docstrings."""


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a `step`, which is recorded if the optimiser is `differentiable`."""

    @functools.wraps(func)
    def stepped(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(self.defaults["differentiable"]):
            return func(self, *args, **kwargs)

    return stepped


def _get_value(x: Any) -> Any:
    """Return the number in a one-element tensor; a number is unchanged."""
    return x.item() if isinstance(x, Tensor) else x


def _to_scalar(x: Any) -> Any:
    """Return a one-element tensor as a 0-dim tensor; anything else is unchanged."""
    return x.squeeze() if isinstance(x, Tensor) and x.ndim != 0 else x


def _stack_if_compiling(x: Any) -> Any:
    """Return the argument: nothing is compiled."""
    return x


def _dispatch_sqrt(x: Any) -> Any:
    """Return the square root of a number or tensor."""
    return x.sqrt() if isinstance(x, Tensor) else x**0.5


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[Any], Any]:
    """Return a decorator that changes nothing: nothing is compiled."""
    return lambda function: function


def _default_to_fused_or_foreach(
    params: Iterable[Any], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Return whether a step should be fused, and whether it should use lists of tensors: never on the CPU.

    Args:
        params: the parameters.
        differentiable: whether the step is recorded; then neither.
        use_fused: whether a fused step is wanted, which needs floating-point tensors.
    """
    fits = all(
        parameter is None or (type(parameter) in _foreach_supported_types and is_float(parameter))
        for parameter in params
    )
    return use_fused and not differentiable and fits, False


def is_float(tensor: Tensor) -> bool:
    """Return whether a tensor has a real floating-point dtype."""
    return tensor.dtype.is_floating_point


def _device_dtype_check_for_fused(p: Tensor, cuda_unsupported: bool = False) -> None:
    """Refuse parameters without a fused step.

    Raises:
        RuntimeError: if the parameter does not have a floating-point dtype.
    """
    if not is_float(p):
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of supported devices: ['cpu'] but "
            f"{p.dtype} and {p.device.type}"
        )


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Replace the entries of complex parameters by their real views, in all lists."""
    for at, parameter in enumerate(params):
        if parameter.dtype.is_complex:
            for tensors in (params, *state_and_grads):
                tensors[at] = view_as_real(tensors[at])


def _get_scalar_dtype(is_fused: bool | None = None) -> dtypes.dtype:
    """Return the dtype of counts of steps."""
    double = not is_fused and dtypes.get_default_dtype() is dtypes.float64
    return dtypes.float64 if double else dtypes.float32


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """Return the device types whose steps torch can capture; none of them exists here."""
    return ["cuda", "xpu", "hpu", *(["xla"] if supports_xla else [])]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> dict[tuple[Any, Any], tuple[TensorListList, Indices]]:
    """Group corresponding lists of tensors by device and dtype.

    Args:
        tensorlistlist: lists of one length; the first determines device and dtype, the others may contain None.
        with_indices: whether to return the original positions.

    Returns:
        For each device and dtype the lists, and the positions (empty without `with_indices`).
    """
    groups: dict[tuple[Any, Any], tuple[TensorListList, Indices]] = {}
    for at, row in enumerate(zip(*tensorlistlist)):
        first: Any = row[0]
        lists, places = groups.setdefault((first.device, first.dtype), ([[] for _ in row], []))
        for tensors, tensor in zip(lists, row):
            tensors.append(tensor)
        if with_indices:
            places.append(at)
    return groups


def _process_value_according_to_param_policy(
    param: Tensor, value: Tensor, param_id: int, param_groups: list[dict[Any, Any]], key: Any = None
) -> Tensor:
    """Convert a tensor of saved state to the dtype of its parameter, unless it counts steps.

    Args:
        param: the parameter.
        value: the tensor.
        param_id: the number of the parameter in the saved groups.
        param_groups: the saved groups.
        key: the name of the state.
    """
    if key != "step":
        return value.to(param.dtype) if is_float(param) else value
    group = next((group for group in param_groups if param_id in group["params"]), {})
    if group.get("fused") or group.get("capturable"):
        return value.to(dtypes.float32)
    return value
