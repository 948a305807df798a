"""Predicates of tensors, most of them about kinds of torch: sparse, quantised, on other devices.

Bound to Tensor at the first use of one of them. Conversions to kinds that do not exist here are refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from .._core import errors, flags, sparse_errors
from .._core.calls.asking import asks_itself
from .._core.cards.arguments import asked_or_refused, asking
from .._core.cards.late import bind
from .._core.tensor.base import Tensor
from .._core.types import dtypes
from .._core.types.devices import refuse_absent, sparse_coo
from .._core.types.dtypes import dtype

_IN_PACKAGE = (
    *("get_device", "is_distributed", "is_inference", "is_nonzero", "is_same_size", "is_signed", "numel"),
    "result_type",
)

NEVER = (
    "is_quantized",
    "is_mkldnn",
    "is_mps",
    "is_xpu",
    "is_xla",
    "is_vulkan",
    "is_ipu",
    "is_maia",
    "is_mtia",
    "is_nested",
)
"""Properties that are False for every tensor here."""


def no(self: Tensor) -> bool:
    """False, for every tensor here.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2).is_pinned()
        False
    """
    return False


def is_distributed(self: Tensor) -> bool:
    """False: no tensor here is spread over several processes."""
    return False


def is_signed(self: Tensor) -> bool:
    """Return whether the dtype has negative numbers.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1]).is_signed(), wg.tensor([1], dtype=wg.uint8).is_signed()
        (True, False)
    """
    return self.dtype.is_signed


def is_same_size(self: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same shape.

    Raises:
        TypeError: if `other` is not a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2, 3).is_same_size(wg.ones(2, 3))
        True
    """
    if not isinstance(other, Tensor):
        raise TypeError(errors.wrong_type("is_same_size", "other", 1, "Tensor", other))
    return self.shape == other.shape


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Return whether both tensors are the same elements of the same memory, in the same order.

    Raises:
        TypeError: if `tensor` is not a tensor.
        NotImplementedError: if one of them is sparse.

    Examples:
        >>> import wengert as wg
        >>> x = wg.arange(4)
        >>> x.is_set_to(x.view(4)), x.is_set_to(x[1:])
        (True, False)
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(errors.wrong_type("is_set_to", "tensor", 1, "Tensor", tensor))
    if any(operand._flags_ & flags.SPARSE and not is_meta(operand) for operand in (self, tensor)):
        raise NotImplementedError(sparse_errors.no_kernel("is_set_to"))
    return (
        self._storage_.array is tensor._storage_.array
        and self.storage_offset() == tensor.storage_offset()
        and self.shape == tensor.shape
        and self.stride() == tensor.stride()
    )


def is_nonzero(self: Tensor) -> bool:
    """Return whether the single element is not zero.

    Raises:
        RuntimeError: if the tensor does not have exactly one element.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([0.5]).is_nonzero()
        True
    """
    return bool(self)


def ndimension(self: Tensor) -> int:
    """The number of dimensions.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2, 3).ndimension()
        2
    """
    return self.ndim


def is_sparse(self: Tensor) -> bool:
    """True if the tensor is sparse in coordinates (the layout `sparse_coo`)."""
    return self._flags_ & flags.SPARSE != 0 and self.layout is sparse_coo


def is_sparse_csr(self: Tensor) -> bool:
    """True if the tensor is sparse and compressed by rows (the layout `sparse_csr`)."""
    return self._flags_ & flags.SPARSE != 0 and self.layout.name == "sparse_csr"


def is_meta(self: Tensor) -> bool:
    """True if the tensor is on the device "meta": it has a shape, and no values."""
    return self._flags_ & (flags.SPARSE | flags.OBSERVED) != 0 and self.device.type == "meta"


def get_device(self: Tensor) -> int:
    """Return -1, the number of the CPU.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2).get_device()
        -1
    """
    return -1


def dim_order(self: Tensor) -> tuple[int, ...]:
    """Return the dimensions in the order of their strides, the largest first.

    Raises:
        AttributeError: if the tensor is sparse.

    Examples:
        >>> import wengert as wg
        >>> wg.zeros(2, 3).t().dim_order()
        (1, 0)
    """
    if self._flags_ & flags.SPARSE and not is_meta(self):
        kind = self.type()
        raise AttributeError(f"Can't get dim order on sparse type: {kind} Use Tensor.to_dense() to convert first.")
    steps: Any = self.stride()
    return tuple(sorted(range(self.ndim), key=lambda dim: -steps[dim]))


def identity(self: Tensor) -> int:
    """A number that is unique while the tensor exists."""
    return id(self)


def pin_memory(self: Tensor, device: Any = None) -> Any:
    """Refused: there is no accelerator to pin memory for.

    Args:
        device: the device.
    """
    raise RuntimeError("Cannot access accelerator device when none is available.")


def dequantized(self: Any) -> Any:
    """Return the tensor in float32, as for a quantised tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.0, 2.0]).dequantize()
        tensor([1., 2.])
    """
    return self.to(dtypes.float32)


@asks_itself("is_inference")
def is_inference(input: Tensor) -> bool:
    """Return whether this is an inference tensor: one created in `inference_mode`, or a view of one.

    Raises:
        TypeError: if `input` is not a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.is_inference(wg.zeros(2))
        False
    """
    if not isinstance(input, Tensor):
        error = TypeError(errors.wrong_type("is_inference", "input", 1, "Tensor", input))
        return asked_or_refused(is_inference, error, input)
    return bool(input._flags_ & flags.INFERENCE)


@asks_itself("numel")
def numel(input: Tensor) -> int:
    """Return the number of elements.

    Raises:
        TypeError: if `input` is not a tensor.

    Examples:
        >>> import wengert as wg
        >>> wg.numel(wg.zeros(2, 3))
        6
    """
    if not isinstance(input, Tensor):
        error = TypeError(errors.wrong_type("numel", "input", 1, "Tensor", input))
        return asked_or_refused(numel, error, input)
    return int(input._array_.size)


RESULT_TYPE_NAMES = (("tensor", "other"), ("scalar", "tensor"), ("scalar1", "scalar2"))
"""Names of the arguments of `result_type` in torch, which may be tensors or numbers."""


@asking
def result_type(*operands: Any, **named: Any) -> dtype:
    """Return the dtype of an operation on two tensors or numbers.

    Args:
        operands: two tensors or numbers.
        named: the same by one of the pairs of names `tensor`, `other`; `scalar`, `tensor`; `scalar1`, `scalar2`.

    Raises:
        TypeError: if there are not two, or one is something else.

    >>> import wengert as wg
    >>> wg.result_type(wg.tensor([1, 2]), 1.0)
    torch.float32
    """
    for names in RESULT_TYPE_NAMES:
        rest = names[len(operands) :]
        if named and set(rest) == named.keys():
            operands, named = (*operands, *[named[name] for name in rest]), {}
    known = all(isinstance(operand, (Tensor, int, float, complex, np.generic)) for operand in operands)
    if len(operands) != 2 or named or not known:
        kinds = ", ".join(type(operand).__name__ for operand in operands)
        raise TypeError(f"result_type() takes tensors and numbers: invalid combination of arguments - got ({kinds})")
    arrays = [operand._array_ for operand in operands if isinstance(operand, Tensor)]
    numbers = [operand for operand in operands if not isinstance(operand, Tensor)]
    plain = [number.item() if isinstance(number, np.generic) else number for number in numbers]
    return dtypes.result_type(arrays, plain)


def refuse_device(name: str) -> NoReturn:
    """Refuse to copy to a device that does not exist."""
    refuse_absent(name)
    raise AssertionError(name)  # not reached


def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, **options: Any) -> NoReturn:
    """Refuse: there is no such device, see `torch.cuda.is_available()`.

    Raises:
        AssertionError, RuntimeError: always.
    """
    refuse_device("cuda")


def xpu(self: Tensor, device: Any = None, non_blocking: bool = False, **options: Any) -> NoReturn:
    """Refuse: there is no such device, see `torch.xpu.is_available()`.

    Raises:
        AssertionError, RuntimeError: always.
    """
    refuse_device("xpu")


def ipu(self: Tensor, device: Any = None, non_blocking: bool = False, **options: Any) -> NoReturn:
    """Refuse: there is no such device, see `torch.ipu.is_available()`.

    Raises:
        AssertionError, RuntimeError: always.
    """
    refuse_device("ipu")


def mtia(self: Tensor, device: Any = None, non_blocking: bool = False, **options: Any) -> NoReturn:
    """Refuse: there is no such device, see `torch.mtia.is_available()`.

    Raises:
        AssertionError, RuntimeError: always.
    """
    refuse_device("mtia")


METHODS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("is_pinned", "_is_zerotensor"), no),
    **{
        method.__name__: method
        for method in (is_distributed, is_signed, is_nonzero, ndimension, get_device, pin_memory)
    },
    **{method.__name__: asking(method, method=True) for method in (dim_order, is_same_size, is_set_to)},
    **{method.__name__: asking(method, method=True) for method in (cuda, xpu, ipu, mtia)},
    "dequantize": dequantized,
}
PROPERTIES = {
    **{name: property(no, doc="False: no tensor here is of that kind.") for name in NEVER},
    "is_sparse": property(is_sparse, doc=is_sparse.__doc__),
    "is_sparse_csr": property(is_sparse_csr, doc=is_sparse_csr.__doc__),
    "is_cpu": property(lambda self: not is_meta(self), doc="True if the memory is the CPU's."),
    "_cdata": property(identity, doc=identity.__doc__),
    "is_meta": property(is_meta, doc=is_meta.__doc__),
}
"""Properties, by name."""

for name, value in (METHODS | PROPERTIES).items():
    bind(name, value)
