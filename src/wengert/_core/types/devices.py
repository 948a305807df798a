"""Devices: there is one, the CPU; others are refused by name. Layouts and orders of the elements in memory."""

from __future__ import annotations

import re

DEVICE = r"[a-z_]+(:\d+)?"


class layout:
    """How a tensor's memory is laid out; there is one, `strided`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "torch.strided"

    def __reduce__(self) -> str:
        return "strided"


strided = layout()


class memory_format:
    """An order of the elements in memory."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self) -> str:
        return self.name


preserve_format = memory_format("preserve_format")
contiguous_format = memory_format("contiguous_format")
channels_last = memory_format("channels_last")
channels_last_3d = memory_format("channels_last_3d")


class device:
    """Where memory is: `device("cpu")`.

    Raises:
        RuntimeError: another device is asked for.
    """

    type: str
    index: int | None

    __slots__ = ("index", "type")

    def __init__(self, type: str | device, index: int | None = None) -> None:
        name = type.type if isinstance(type, device) else type
        if isinstance(name, int):
            raise RuntimeError(f"device {name} is not available: wengert computes on 'cpu'")
        if not isinstance(name, str):
            raise TypeError(f"device(): argument 'type' (position 1) must be str, not {name.__class__.__name__}")
        if not name:
            raise RuntimeError("Device string must not be empty")
        kind, _, number = name.partition(":")
        if not re.fullmatch(DEVICE, name):
            raise RuntimeError(f"Invalid device string: {name!r}; wengert computes on 'cpu'")
        if kind != "cpu":
            raise RuntimeError(f"device {name!r} is not available: wengert computes on 'cpu'")
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
