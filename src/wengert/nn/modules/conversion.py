"""What `Module.to` is asked for: torch's three forms of arguments."""

from __future__ import annotations

import warnings
from typing import Any

from ...ops.memory.convert import check_device, contiguous_format
from ...tensor import Tensor, device, dtypes

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
    check_device(given.get("device"))
    where = device("cpu") if "tensor" in given or given.get("device") is not None else None
    wanted = given["tensor"].dtype if "tensor" in given else given.get("dtype")
    return where, wanted, given.get("non_blocking", False), given.get("memory_format")


def read_to(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    """Find out what `Module.to` is asked for.

    Returns:
        The dtype and the memory format, each None if it stays.

    Raises:
        TypeError: the arguments have none of torch's forms, or the dtype is neither floating-point nor complex.
        RuntimeError: a copy is wanted, or another device.
    """
    _, wanted, _, layout = parse_to(*args, **kwargs)
    if wanted is not None and not (wanted.is_floating_point or wanted.is_complex):
        raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={wanted}")
    if wanted is not None and wanted.is_complex:
        warnings.warn(
            "Complex modules are a new feature under active development whose design may change, and some modules "
            "might not work as expected when using complex tensors as parameters or buffers.",
            UserWarning,
            stacklevel=3,
        )
    return wanted, layout


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
