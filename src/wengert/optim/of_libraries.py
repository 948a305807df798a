"""What the optimisers of libraries call of `torch.optim.optimizer` besides its class."""

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
    "Args", "DeviceDict", "DeviceDtypeDict", "Indices", "Kwargs", "ParamsT", "StateDict", "TensorListList",
    "_capturable_doc", "_default_to_fused_or_foreach", "_device_dtype_check_for_fused", "_differentiable_doc",
    "_disable_dynamo_if_unsupported", "_dispatch_sqrt", "_foreach_doc", "_foreach_supported_types", "_fused_doc",
    "_get_capturable_supported_devices", "_get_scalar_dtype", "_get_value", "_group_tensors_by_device_and_dtype",
    "_maximize_doc", "_params_doc", "_process_value_according_to_param_policy", "_stack_if_compiling", "_to_scalar",
    "_use_grad_for_differentiable", "_view_as_real",
]  # fmt: skip

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
"""Sentences that libraries put into their docstrings."""


def _use_grad_for_differentiable(func: Callable[..., Any]) -> Callable[..., Any]:
    """A `step` that is recorded if the optimiser's `differentiable` says so."""

    @functools.wraps(func)
    def stepped(self: Any, *args: Any, **kwargs: Any) -> Any:
        with set_grad_enabled(self.defaults["differentiable"]):
            return func(self, *args, **kwargs)

    return stepped


def _get_value(x: Any) -> Any:
    """The number in a tensor of one; a number as it is."""
    return x.item() if isinstance(x, Tensor) else x


def _to_scalar(x: Any) -> Any:
    """A tensor of one element without dimensions; anything else as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.ndim != 0 else x  # type: ignore[attr-defined]


def _stack_if_compiling(x: Any) -> Any:
    """The argument: nothing is compiled."""
    return x


def _dispatch_sqrt(x: Any) -> Any:
    """The root of a number, or of a tensor."""
    return x.sqrt() if isinstance(x, Tensor) else x**0.5  # type: ignore[attr-defined]


def _disable_dynamo_if_unsupported(single_tensor_fn: Any = None) -> Callable[[Any], Any]:
    """A decorator that changes nothing: nothing is compiled."""
    return lambda function: function


def _default_to_fused_or_foreach(
    params: Iterable[Any], differentiable: bool, use_fused: bool = False
) -> tuple[bool, bool]:
    """Whether a step should be by one function for all, and whether over lists: never for tensors of the CPU.

    Args:
        params: the parameters.
        differentiable: whether the step is recorded; then neither.
        use_fused: whether the former is wanted, which needs floating-point tensors.
    """
    fits = all(
        parameter is None or (type(parameter) in _foreach_supported_types and is_float(parameter))
        for parameter in params
    )
    return use_fused and not differentiable and fits, False


def is_float(tensor: Tensor) -> bool:
    """Whether its elements are real floating-point numbers."""
    return tensor.dtype.is_floating_point


def _device_dtype_check_for_fused(p: Tensor, cuda_unsupported: bool = False) -> None:
    """Refuse what no step by one function takes.

    Raises:
        RuntimeError: the parameter is not of floating-point numbers.
    """
    if not is_float(p):
        raise RuntimeError(
            "`fused=True` requires all the params to be floating point Tensors of supported devices: ['cpu'] but "
            f"{p.dtype} and {p.device.type}"
        )


def _view_as_real(params: list[Tensor], *state_and_grads: list[Tensor]) -> None:
    """Put, in all lists, the real view in the place of what belongs to a complex parameter."""
    for at, parameter in enumerate(params):
        if parameter.dtype.is_complex:
            for tensors in (params, *state_and_grads):
                tensors[at] = view_as_real(tensors[at])


def _get_scalar_dtype(is_fused: bool | None = None) -> dtypes.dtype:
    """The dtype of counts of steps."""
    double = not is_fused and dtypes.get_default_dtype() is dtypes.float64
    return dtypes.float64 if double else dtypes.float32


def _get_capturable_supported_devices(supports_xla: bool = True) -> list[str]:
    """The kinds of devices whose steps torch can record; none of them is here."""
    return ["cuda", "xpu", "hpu", *(["xla"] if supports_xla else [])]


def _group_tensors_by_device_and_dtype(
    tensorlistlist: Sequence[Sequence[Tensor | None]], with_indices: bool = False
) -> dict[tuple[Any, Any], tuple[TensorListList, Indices]]:
    """Lists of tensors that belong together, cut into lists of the same device and dtype.

    Args:
        tensorlistlist: lists of one length; the first says the dtype, the others may hold None.
        with_indices: whether to say which places the tensors had.

    Returns:
        For each device and dtype the lists, and the places (empty if not asked for).
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
    """A tensor of saved state as the state of a parameter: in its dtype, unless it counts steps.

    Args:
        param: the parameter.
        value: the tensor.
        param_id: the number of the parameter in the saved groups.
        param_groups: these groups.
        key: the name of the state.
    """
    if key != "step":
        return value.to(param.dtype) if is_float(param) else value  # type: ignore[attr-defined]
    group = next((group for group in param_groups if param_id in group["params"]), {})
    if group.get("fused") or group.get("capturable"):
        return value.to(dtypes.float32)  # type: ignore[attr-defined]
    return value
