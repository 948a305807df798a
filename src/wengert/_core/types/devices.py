"""Devices, layouts and memory formats.

There is one device, the CPU; others have names, and are refused where they would be used.
"""

from __future__ import annotations

import re
from typing import Any

from ..._start.loading import load

DEVICE = r"[A-Za-z_]+(:(0|[1-9]\d*))?"
KINDS = (
    *("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla", "lazy"),
    *("vulkan", "mps", "meta", "hpu", "mtia", "privateuseone"),
)
"""The devices that torch knows by name."""

PYTHON = ("cuda", "xpu", "mtia")
"""Devices for which torch's error is one of its Python layer."""


NO_ACCELERATOR = "Cannot access accelerator device when none is available; wengert computes on 'cpu'."


class Constant:
    """Named constant of torch, which is pickled by its name."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


class layout(Constant):
    """Storage of the elements: `strided`, or `sparse_coo` for the non-zero elements with their indices."""

    __slots__ = ()


strided = layout("strided")
sparse_coo = layout("sparse_coo")


class memory_format(Constant):
    """Order of the elements in memory."""

    __slots__ = ()


preserve_format = memory_format("preserve_format")
contiguous_format = memory_format("contiguous_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


class ElsewhereError(RuntimeError):
    """Error for a tensor on the device "meta"; functions that create tensors without values catch it."""


class device:
    """Device of a tensor: `device("cpu")`, or "meta" for tensors without values. Others have only a name, for programs
    that compare it.

    As a context manager it is the device of new tensors: the CPU, or "meta".

    Raises:
        RuntimeError: if no device has that name, or an accelerator is asked for by its number.
    """

    type: str
    index: int | None

    __slots__ = ("index", "type")

    def __init__(self, type: str | device, index: int | None = None) -> None:
        if isinstance(type, device):
            self.type, self.index = type.type, type.index
            return
        name = type
        if isinstance(name, int) and not isinstance(name, bool):
            raise RuntimeError(NO_ACCELERATOR if name >= 0 else "Device index must not be negative")
        if not isinstance(name, str):
            raise TypeError(f"device(): argument 'type' (position 1) must be str, not {name.__class__.__name__}")
        if not name:
            raise RuntimeError("Device string must not be empty")
        kind, _, number = name.partition(":")
        if not re.fullmatch(DEVICE, name):
            raise RuntimeError(f"Invalid device string: {name!r}; wengert computes on 'cpu'")
        if kind not in KINDS:
            raise RuntimeError(f"Expected one of {', '.join(KINDS)} device type at start of device string: {kind}")
        if index is not None and number:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {name}")
        if index is not None and not isinstance(index, int):
            raise TypeError(f"device(): argument 'index' (position 2) must be int, not {index.__class__.__name__}")
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.type = kind
        self.index = int(number) if number else index

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + ("" if self.index is None else f", index={self.index}") + ")"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __enter__(self) -> device:
        context().begin(self)
        return self

    def __exit__(self, *error: object) -> None:
        context().end()

    def __reduce__(self) -> tuple[object, ...]:
        return device, (self.type,) if self.index is None else (self.type, self.index)


def context() -> Any:
    """The module with the device of new tensors."""
    return load(f"{__name__.partition('.')[0]}._tensor.placing")


def refuse_absent(value: str | int | device) -> None:
    """Refuse to use another device than the CPU.

    Raises:
        AssertionError: if torch's own programs ask for that device first (`torch.cuda.is_available()`).
        ElsewhereError: if it is "meta", for tensors without values, which not every function supports.
        RuntimeError: if it is any other, or not a device at all.
    """
    if type(value) is str and value == "cpu":
        return
    wanted = value if isinstance(value, device) else device(value)  # type: ignore[arg-type]
    if wanted.type in PYTHON:
        raise AssertionError(
            f"Torch not compiled with {wanted.type.upper()} enabled: device '{wanted}' is not available, wengert "
            "computes on 'cpu'"
        )
    if wanted.type != "cpu":
        raise (ElsewhereError if wanted.type == "meta" else RuntimeError)(
            f"PyTorch is not linked with support for {wanted.type} devices: device '{wanted}' is not available, "
            "wengert computes on 'cpu'"
        )
