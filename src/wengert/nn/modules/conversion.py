"""What `Module.to` is asked for, in torch's three forms of arguments, and how parameters become what it makes."""

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
"""What `torch.__future__` says of converted parameters."""

EXPECTED = """
 * (torch.device device = None, torch.dtype dtype = None, bool non_blocking = False, bool copy = False, *, \
torch.memory_format memory_format = None)
 * (torch.dtype dtype, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)
 * (Tensor tensor, bool non_blocking = False, bool copy = False, *, torch.memory_format memory_format = None)"""


def parse_to(*args: Any, **kwargs: Any) -> tuple[device | None, dtypes.dtype | None, bool, Any]:
    """What the arguments of a `to` say: the device, the dtype, whether it need not wait, the memory format.

    Raises:
        TypeError: the arguments have none of torch's forms.
        RuntimeError: a copy is wanted, or another device.
    """
    for form in FORMS:
        given = fitted(form, args, kwargs)
        if given is not None:
            break
    else:
        kinds = ", ".join([shown(each) for each in args] + [f"{key}={shown(each)}" for key, each in kwargs.items()])
        raise TypeError(
            f"to() received an invalid combination of arguments - got ({kinds}), but expected one of:{EXPECTED}\n"
        )
    if given.get("copy"):
        raise RuntimeError(".to() does not accept copy argument")
    where: Any = given["tensor"].device if "tensor" in given else given.get("device")
    where = None if where is None else device(where)
    if where is not None and where.type != "meta":
        check_device(where)
    wanted = given["tensor"].dtype if "tensor" in given else given.get("dtype")
    return where, wanted, given.get("non_blocking", False), given.get("memory_format")


def read_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any, Any]:
    """Find out what `Module.to` is asked for.

    Returns:
        The device, the dtype and the memory format, each None if it stays.

    Raises:
        TypeError: the arguments have none of torch's forms, or the dtype is neither floating-point nor complex.
        RuntimeError: a copy is wanted, or another device.
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
    """The arguments by name if they have a form, else None."""
    if len(args) > len(form) or not kwargs.keys() <= {*form, "memory_format"} - set(form[: len(args)]):
        return None
    given = {**dict(zip(form, args)), **kwargs}
    if "dtype" in given:
        given["dtype"] = dtypes.as_dtype(given["dtype"])
    if any(not isinstance(value, KINDS[name]) for name, value in given.items()):
        return None
    if isinstance(given.get("device"), bool) or (form[0] != "device" and given.get(form[0]) is None):
        return None
    return given


def shown(value: Any) -> str:
    """The kind of an argument."""
    return "torch.dtype" if isinstance(value, dtypes.dtype) else type(value).__name__


def converted(parameter: Any, made: Tensor, made_grad: Tensor | None, name: str) -> Any:
    """What stands for a parameter once it is converted, in one of the ways that `torch.__future__` offers.

    Args:
        parameter: the parameter.
        made, made_grad: what it and its gradient became.
        name: of the parameter, for errors.

    Returns:
        The parameter with other values; or with the other tensor's identity; or a new one.

    Raises:
        RuntimeError: it cannot be exchanged.
    """
    grad = parameter.grad
    if get_swap_module_params_on_conversion():
        parameter.grad = None
        try:
            exchanged(parameter, made)
        except Exception as error:
            parameter.grad = grad
            raise RuntimeError(f"_apply(): Couldn't swap {name}") from error
        if grad is not None:
            parameter.grad = exchanged(grad, made_grad)
        return parameter
    if get_overwrite_module_params_on_conversion() or made.is_meta != parameter.is_meta:  # type: ignore[attr-defined]
        fresh: Any = Parameter(made, parameter.requires_grad)
        fresh.grad = made_grad
        return fresh
    parameter.data = made
    if grad is not None:
        grad.data = made_grad
    return parameter


def exchanged(current: Any, made: Any) -> Any:
    """A tensor, after another one has come in its place: as a parameter if it was one."""
    if isinstance(current, Parameter):
        made = Parameter(made, current.requires_grad)
    swap_tensors(current, made)
    return current


def set_overwrite_module_params_on_conversion(value: bool) -> None:
    """Whether a conversion makes new parameters, and leaves the old ones as they are.

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
    """What `set_overwrite_module_params_on_conversion` was last called with."""
    return WAYS["overwrite"]  # type: ignore[no-any-return]


def set_swap_module_params_on_conversion(value: bool) -> None:
    """Whether parameters are exchanged by `utils.swap_tensors`: in conversions, and in `load_state_dict`.

    They stay the same objects then, also where the new ones are of another class. No graph may lead to them.
    """
    WAYS["swap"] = value


def get_swap_module_params_on_conversion() -> bool:
    """What `set_swap_module_params_on_conversion` was last called with."""
    return WAYS["swap"]  # type: ignore[no-any-return]
