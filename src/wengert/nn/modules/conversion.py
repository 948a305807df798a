"""Arguments of `Module.to` in torch's three forms, and the conversion of parameters."""

from __future__ import annotations

from typing import Any

from ..._tensor import Tensor
from ..._tensor.attributes import device, dtypes
from ...ops.memory.convert import check_device, contiguous_format
from ...ops.memory.exchange import swap_tensors
from ...ops.warned import warn
from ..parameter import Parameter

NO_DATA = (
    "Cannot copy out of meta tensor; no data! Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() "
    "when moving module from meta to a different device."
)
FORMS = (
    ("device", "dtype", "non_blocking", "copy"),
    ("dtype", "non_blocking", "copy"),
    ("tensor", "non_blocking", "copy"),
)
KINDS: dict[str, tuple[Any, ...]] = {
    "device": (str, int, device, type(None)),
    "dtype": (dtypes.dtype, type(None)),
    "tensor": (Tensor,),
    "non_blocking": (bool,),
    "copy": (bool,),
    "memory_format": (type(contiguous_format), type(None)),
}
WAYS: dict[str, Any] = {"overwrite": False, "swap": False}
"""Settings of `torch.__future__` for conversions of parameters."""

EXPECTED = """
 * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, *, \
torch.memory_format memory_format = None)
 * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)
 * (Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)"""


def parse_to(*args: Any, **kwargs: Any) -> tuple[device | None, dtypes.dtype | None, bool, Any]:
    """Parse the arguments of a `to`: return the device, the dtype, `non_blocking` and the memory format.

    Raises:
        TypeError: if the arguments have none of torch's forms.
        RuntimeError: if `copy` is given, or the device is not available.
    """
    for form in FORMS:
        options = fitted(form, args, kwargs)
        if options is not None:
            break
    else:
        kinds = ", ".join([shown(value) for value in args] + [f"{key}={shown(value)}" for key, value in kwargs.items()])
        raise TypeError(
            f"to() received an invalid combination of arguments - got ({kinds}), but expected one of:{EXPECTED}\n"
        )
    if options.get("copy"):
        raise RuntimeError(".to() does not accept copy argument")
    target: Any = options["tensor"].device if "tensor" in options else options.get("device")
    target = None if target is None else device(target)
    if target is not None and target.type != "meta":
        check_device(target)
    wanted = options["tensor"].dtype if "tensor" in options else options.get("dtype")
    return target, wanted, options.get("non_blocking", False), options.get("memory_format")


def read_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Parse the arguments of `Module.to`.

    Returns:
        The device, the dtype and the memory format; None for what does not change.

    Raises:
        TypeError: if the arguments have none of torch's forms, or the dtype is neither floating-point nor complex.
        RuntimeError: if `copy` is given, or the device is not available.
    """
    where, wanted, _, layout = parse_to(*args, **kwargs)
    if wanted is not None and not (wanted.is_floating_point or wanted.is_complex):
        raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={wanted}")
    if wanted is not None and wanted.is_complex:
        warn(
            "Complex modules are a new feature under active development whose design may change, and some modules "
            "might not work as expected when using complex tensors as parameters or buffers.",
            UserWarning,
        )
    return where, wanted, layout


def fitted(form: tuple[str, ...], args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """Return the arguments by name if they fit `form`, else None."""
    if len(args) > len(form) or not kwargs.keys() <= {*form, "memory_format"} - set(form[: len(args)]):
        return None
    options = {**dict(zip(form, args)), **kwargs}
    if "dtype" in options:
        options["dtype"] = dtypes.as_dtype(options["dtype"])
    if any(not isinstance(value, KINDS[name]) for name, value in options.items()):
        return None
    if isinstance(options.get("device"), bool) or (form[0] != "device" and options.get(form[0]) is None):
        return None
    return options


def shown(value: Any) -> str:
    """Name of the type of an argument, for error messages."""
    return "torch.dtype" if isinstance(value, dtypes.dtype) else type(value).__name__


def converted(parameter: Any, value: Tensor, grad_value: Tensor | None, name: str) -> Any:
    """Replace the values of a parameter, in one of the ways that `torch.__future__` offers.

    Args:
        parameter: the parameter.
        value, grad_value: the converted values of the parameter and of its gradient.
        name: name of the parameter, for errors.

    Returns:
        The parameter itself with new values, or swapped with the new tensor; or a new parameter.

    Raises:
        RuntimeError: if the tensors cannot be swapped.
    """
    grad = parameter.grad
    if get_swap_module_params_on_conversion():
        parameter.grad = None
        try:
            exchanged(parameter, value)
        except Exception as error:
            parameter.grad = grad
            raise RuntimeError(f"_apply(): Couldn't swap {name}") from error
        if grad is not None:
            parameter.grad = exchanged(grad, grad_value)
        return parameter
    if get_overwrite_module_params_on_conversion() or value.is_meta != parameter.is_meta:
        replacement: Any = Parameter(value, parameter.requires_grad)
        replacement.grad = grad_value
        return replacement
    parameter.data = value
    if grad is not None:
        grad.data = grad_value
    return parameter


def exchanged(current: Any, replacement: Any) -> Any:
    """Swap `current` with another tensor, which becomes a parameter if `current` is one; return `current`."""
    if isinstance(current, Parameter):
        replacement = Parameter(replacement, current.requires_grad)
    swap_tensors(current, replacement)
    return current


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Set whether a conversion makes new parameters, and leaves the old ones as they are.

    >>> import wengert as wg
    >>> layer = wg.nn.Linear(2, 1)
    >>> weight = layer.weight
    >>> wg.__future__.set_overwrite_module_params_on_conversion(True)
    >>> layer.double().weight is weight, weight.dtype
    (False, torch.float32)
    >>> wg.__future__.set_overwrite_module_params_on_conversion(False)
    """
    WAYS["overwrite"] = value


def get_overwrite_module_params_on_conversion() -> bool:
    """Return whether a conversion makes new parameters; see `set_overwrite_module_params_on_conversion`."""
    return WAYS["overwrite"]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Set whether conversions and `load_state_dict` exchange parameters by `utils.swap_tensors`.

    The parameters then stay the same objects, also where the new ones are of another class. No graph may refer to them.
    """
    WAYS["swap"] = value


def get_swap_module_params_on_conversion() -> bool:
    """Return whether parameters are swapped; see `set_swap_module_params_on_conversion`."""
    return WAYS["swap"]
