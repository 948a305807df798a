"""Arrays in a tensor's `_array_` for values that are stored elsewhere: shape, dtype and strides, not to be read.

The arrays of members of a batch are here, those of sparse tensors in `coordinates`.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

import numpy as np

from .. import batch_errors, flags
from ..types.devices import device

HANDLER = f"{__name__.partition('.')[0]}.utils.class_dispatch"
"""The module that asks classes with a `__torch_dispatch__`; loaded with the first call that concerns one."""


class StandIn(np.ndarray):
    """An array that refuses to be read; subclasses set the error text.

    Attributes:
        flag: the bit of the flags word by which calls with such a tensor take their own path.
    """

    flag: ClassVar[int] = 0
    device: Any = device("cpu")

    __array_ufunc__ = None

    def refuse(self, what: str) -> NoReturn:
        """Refuse an access to values."""
        raise NotImplementedError(what)

    def unit(self, tensor: Any) -> Any:
        """Return the gradient that a pass from `tensor` starts with; None for the same as with an array of values."""
        return None

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        self.refuse(f"NumPy's {function.__name__}")

    def __reduce__(self) -> Any:
        self.refuse("pickling")

    def __bool__(self) -> bool:
        self.refuse("bool")


def refusal(name: str, what: str) -> Any:
    """Return a method that refuses to be called."""

    def refused(self: StandIn, *args: Any, **kwargs: Any) -> Any:
        self.refuse(what)

    refused.__name__ = name
    return refused


for _name in ("item", "__float__", "__int__", "__index__", "__complex__"):
    setattr(StandIn, _name, refusal(_name, "item"))
for _name in (
    "__getitem__",
    "__setitem__",
    "__iter__",
    "__copy__",
    "__deepcopy__",
    "__array__",
    "__dlpack__",
    "all",
    "any",
    "argmax",
    "argmin",
    "argsort",
    "astype",
    "choose",
    "clip",
    "compress",
    "conj",
    "copy",
    "cumprod",
    "cumsum",
    "diagonal",
    "dot",
    "dump",
    "dumps",
    "fill",
    "flatten",
    "max",
    "mean",
    "min",
    "nonzero",
    "partition",
    "prod",
    "ptp",
    "put",
    "ravel",
    "repeat",
    "reshape",
    "resize",
    "round",
    "searchsorted",
    "sort",
    "squeeze",
    "std",
    "sum",
    "swapaxes",
    "take",
    "tobytes",
    "tofile",
    "tolist",
    "tostring",
    "trace",
    "transpose",
    "var",
):
    if hasattr(np.ndarray, _name):
        setattr(StandIn, _name, refusal(_name, f"`{_name}`"))


class Members(StandIn):
    """The array of one member of a batch, as far as all members are alike.

    Attributes:
        whole: the tensor with all members, along its first dimension.
        level: the batch.
    """

    flag = flags.BATCHED
    whole: Any
    level: Any

    def refuse(self, what: str) -> NoReturn:
        raise RuntimeError(batch_errors.read(what, self.shape, self.level.size))


def members(whole: Any, level: Any) -> Members:
    """Return the array of a member of the tensor `whole`, along its first dimension."""
    result = members_of(whole._array_.view(np.ndarray), level)
    result.whole = whole
    return result


def members_of(array: np.ndarray[Any, Any], level: Any) -> Members:
    """Return `members` of an array whose tensor does not exist yet (`batches.begin`)."""
    if array.shape[0]:
        result: Members = array[0, ...].view(Members)
    else:  # no members: memory of its own, which is not read
        result = np.empty(array.shape[1:], array.dtype).view(Members)
    result.whole = array
    result.level = level
    return result


def plain(value: Any) -> Any:
    """Return the tensor itself, or a recorded copy in memory of its own if its elements are computed when read."""
    return value.clone() if value._flags_ & flags.POSTPONED else value
