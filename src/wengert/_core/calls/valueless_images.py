"""What shape the results of operators on images have that are called with tensors on the device "meta"."""

from __future__ import annotations

from typing import Any

from .valueless_shapes import INDEX, Shape, shaped, with_length


@shaped("convolution")
def convolution_shape(
    input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any,
    groups: int,
) -> Any:  # fmt: skip
    have, kernel = input._array_.shape, weight._array_.shape
    channels = have[-len(kernel[2:]) - 1]
    if channels != (kernel[0] if transposed else kernel[1] * groups):
        raise RuntimeError(f"Given groups={groups} and weight {list(kernel)}, the input has {channels} channels")
    options = [
        each * (len(kernel) - 2) if len(each) == 1 else each for each in (stride, padding, dilation, output_padding)
    ]
    lengths = []
    for at, (length, window) in enumerate(zip(have[-len(kernel) + 2 :], kernel[2:])):
        step, side, apart, more = (each[at] for each in options)
        reach = apart * (window - 1)
        if transposed:
            lengths.append((length - 1) * step - 2 * side + reach + more + 1)
        else:
            lengths.append((length + 2 * side - reach - 1) // step + 1)
    made = kernel[1] * groups if transposed else kernel[0]
    return (*have[: -len(kernel) + 1], made, *lengths), input._array_.dtype


def pair(value: Any) -> tuple[int, int]:
    """A number for each of two dimensions."""
    first, *rest = value if isinstance(value, (tuple, list)) else (value,)
    return first, (rest or [first])[0]


def pooled(array: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Shape:
    """The shape of what windows over images give."""
    steps = kernel if stride is None or stride == () else stride
    lengths = []
    for length, window, step, side, apart in zip(array.shape[-2:], *map(pair, (kernel, steps, padding, dilation))):
        room = length + 2 * side - apart * (window - 1) - 1
        count = (room + (step - 1 if ceil_mode else 0)) // step + 1
        lengths.append(count - 1 if ceil_mode and (count - 1) * step >= length + side else count)
    if min(lengths) < 1:
        raise RuntimeError(f"Given input size: {list(array.shape[-3:])}. Output size is too small")
    return (*array.shape[:-2], *lengths)


@shaped("max_pool2d_with_indices")
def max_pool_shape(
    self: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False
) -> Any:
    shape = pooled(self._array_, kernel_size, stride, padding, dilation, ceil_mode)
    return [(shape, self._array_.dtype), (shape, INDEX)]


@shaped("avg_pool2d")
def average_pool_shape(
    self: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, ceil_mode: bool = False, *others: Any
) -> Any:
    return pooled(self._array_, kernel_size, stride, padding, 1, ceil_mode), self._array_.dtype


@shaped("adaptive_average")
def adaptive_shape(self: Any, output_size: Any) -> Any:
    have = self._array_.shape
    lengths = [own if each is None else each for own, each in zip(have[-2:], pair(output_size))]
    return (*have[:-2], *lengths), self._array_.dtype


@shaped("resample")
def resampled_shape(self: Any, size: Any, *others: Any) -> Any:
    return (*self._array_.shape[:2], *size), self._array_.dtype


@shaped("constant_pad_nd")
def padded_shape(self: Any, pad: Any, value: Any = 0) -> Any:
    lengths = list(self._array_.shape)
    for at in range(len(pad) // 2):
        lengths[-1 - at] += pad[2 * at] + pad[2 * at + 1]
    return tuple(lengths), self._array_.dtype


@shaped("edge_pad")
def edge_padded_shape(self: Any, pad: Any, mode: str) -> Any:
    return padded_shape(self, pad)


@shaped("glu")
def gated_shape(self: Any, dim: int = -1, *others: Any) -> Any:
    shape = self._array_.shape
    return with_length(shape, dim, shape[dim] // 2), self._array_.dtype
