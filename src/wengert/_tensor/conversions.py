"""Conversions of tensors: NumPy arrays, DLPack capsules, types, formatted text."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._core import batch_errors, flags
from .._core.cards.arguments import asking
from .._core.cards.late import bind
from .._core.state.modes import current
from .._core.tensor import tracing
from .._core.tensor.base import Tensor
from .._core.tensor.postponed import is_conjugated, resolved
from .._core.tensor.standins import StandIn
from .._core.types import dtypes
from ..ops.create.interchange import capsule_of, refuse_meta


def numpy(self: Tensor, *, force: bool = False) -> np.ndarray[Any, Any]:
    """The values as a NumPy array on the same memory.

    Args:
        force: detach first, and copy a tensor whose elements are conjugated or negated on reading, if necessary.

    Raises:
        RuntimeError: if the tensor requires a gradient, or is conjugated or negated on reading, and `force` is not set,
            or it stands for the members of a batch.
        TypeError: if the dtype is bfloat16, which NumPy does not have, or the tensor is sparse.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1, 2]).numpy()
        array([1, 2])
    """
    if self._flags_ & flags.BATCHED:
        raise RuntimeError(batch_errors.read("numpy()", self._array_.shape, self._array_.level.size))
    if self._flags_ & flags.OBSERVED and isinstance(self._array_, StandIn):
        raise RuntimeError(".numpy() is not supported for tensor subclasses.")
    if self._flags_ & flags.SPARSE:
        if self.is_meta:
            if force:
                self.tolist()
            raise TypeError(
                "can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
                "first."
            )
        title = getattr(getattr(self._array_, "layout", None), "title", "Sparse")
        raise TypeError(f"can't convert {title} layout tensor to numpy. Use Tensor.to_dense() first.")
    if self.requires_grad and current().grad and not force:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
    if self.dtype is dtypes.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    if self._flags_ & flags.POSTPONED:
        if not force:
            bit, name = ("conjugate", "conj") if is_conjugated(self) else ("negative", "neg")
            raise RuntimeError(
                f"Can't call numpy() on Tensor that has {bit} bit set. Use tensor.resolve_{name}().numpy() instead."
            )
        return resolved(self._array_)
    modes = current()
    if modes.debug is not None:
        tracing.left(self, self._array_, "numpy()", tracing.NUMPY)
    if modes.log is not None:
        tracing.told_reading(None, "numpy()")
    return self._array_


def as_array_protocol(self: Tensor, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
    """The array of `np.asarray(tensor)`; a copy only if requested or necessary."""
    if self._flags_ & flags.POSTPONED and copy is not False:  # torch refuses; NumPy may be given a copy
        self = self.resolve_conj().resolve_neg()
    array = numpy(self)
    return np.array(array, dtype=dtype, copy=copy)


def dlpack(
    self: Tensor, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None
) -> Any:
    """Hand the memory to another library (DLPack protocol).

    Args:
        stream: None: the CPU has no streams.
        max_version: the newest version of the protocol that the other library reads; None for the first one, whose
            capsules cannot mark memory as read-only.
        dl_device: where the memory is to be: on the CPU, `(1, 0)`.
        copy: whether the other library gets memory of its own; None or False: no.

    Raises:
        AssertionError: if a stream is passed.
        BufferError: if the tensor requires a gradient, which the protocol cannot carry, `dl_device` is not the CPU, or
            the tensor is on the device "meta".
    """
    if self.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if stream is not None:
        raise AssertionError("stream should be None on cpu.")
    if dl_device is not None and tuple(dl_device) != (1, 0):
        raise BufferError(f"Can't export a tensor to device {tuple(dl_device)}: there is the CPU only, (1, 0)")
    if self._flags_ & flags.POSTPONED:
        bit = "conjugate" if is_conjugated(self) else "negative"
        raise BufferError(f"Can't export tensors with the {bit} bit set")
    options: dict[str, Any] = {} if max_version is None else {"max_version": tuple(max_version)}
    return capsule_of(self, copy, options)


def dlpack_device(self: Tensor) -> tuple[int, int]:
    """The device, in DLPack's terms.

    Raises:
        ValueError: if the device is "meta".
    """
    refuse_meta(self)
    return self._array_.__dlpack_device__()


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False, **options: Any) -> Any:
    """The name of the tensor's type in the API of torch's early days, or the tensor in another dtype.

    Args:
        dtype: the dtype, or a type of that API or its name: `torch.DoubleTensor`, "torch.DoubleTensor".
        non_blocking: ignored.

    Raises:
        ValueError: if there is no such type.

    Examples:
        >>> import wengert as wg
        >>> wg.tensor([1.5]).type(), wg.tensor([1.5]).type(wg.int32)
        ('torch.FloatTensor', tensor([1], dtype=torch.int32))
    """
    if dtype is None:
        kind = "torch.sparse" if self._flags_ & flags.SPARSE else "torch"
        if self.is_meta:
            return f"torch.meta.{self.dtype.legacy}"
        if hasattr(self._array_, "layout"):
            raise RuntimeError(f"Unimplemented backend {self._array_.layout.title}CPU: ask for dtype and layout")
        return f"{kind}.{self.dtype.legacy}"
    if dtype is Tensor:
        wanted: Any = dtypes.get_default_dtype()
    elif isinstance(dtype, str):
        kind = "torch.sparse" if self._flags_ & flags.SPARSE else "torch"
        wanted = next((known for known in dtypes.ALL if f"{kind}.{known.legacy}" == dtype), None)
    else:
        wanted = getattr(dtype, "dtype", dtype)
    if not isinstance(wanted, dtypes.dtype):
        raise ValueError(f"invalid type: {getattr(dtype, '__name__', dtype)!r}")
    return self.to(wanted)


def formatted(self: Tensor, spec: str) -> str:
    """Return `format(tensor, spec)`: that of the number for 0-dim tensors, the text of the tensor without a spec.

    Raises:
        TypeError: if there is a spec and the tensor has dimensions.
    """
    if self._array_.ndim == 0 and not self.is_meta:
        tracing.told_reading(self, "format()")
        return format(self._array_.item(), spec)
    if spec:
        raise TypeError("unsupported format string passed to Tensor.__format__")
    return repr(self)


METHODS: dict[str, Any] = {
    "__format__": formatted,
    "__array__": as_array_protocol,
    "__dlpack__": dlpack,
    "__dlpack_device__": dlpack_device,
    "numpy": numpy,
    "type": type_,
}

RARE = ("__format__", "__dlpack__", "__dlpack_device__")
"""Methods that are wrapped: when they fail, arguments which are not tensors are asked for `__torch_function__`."""

for name, method in METHODS.items():
    bind(name, asking(method, name, method=True) if name in RARE else method)
