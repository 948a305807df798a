"""What shape and dtype the results of operators have that are called with tensors on the device "meta"."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..types import dtypes, sizes

Shape = tuple[int, ...]
SHAPES: dict[str, Callable[..., Any]] = {}
"""By operator: called with all its arguments; gives shape and dtype of the result, NumPy's, or a list of them.
Where several are given, each may say, third, that matrices lie in columns."""
INDEX = np.dtype(np.int64)


def shaped(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Say what shape and dtype the results of some operators have; decorates it."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        SHAPES.update(dict.fromkeys(names, function))
        return function

    return decorate


def dtype_or(array: Any, dtype: Any) -> Any:
    """NumPy's dtype of a result: that of an operand unless another is asked for."""
    return array.dtype if dtype is None else dtype.numpy


@shaped(
    "clone", "cumsum", "cumsum_reversed", "dropout", "flip", "index_add", "index_copy", "index_fill", "kept_gradient",
    "log_softmax", "masked_scatter", "roll", "scatter", "scatter_add", "scatter_reduce", "softmax", "tril", "triu",
    "_causal_softmax", "_log_softmax", "_log_softmax_backward_data", "_safe_softmax", "_softmax",
    "_softmax_backward_data",
)  # fmt: skip
def like_first(self: Any, *others: Any) -> Any:
    return self._array_.shape, self._array_.dtype


@shaped("_to_copy")
def to_copy_shape(self: Any, dtype: Any, *others: Any) -> Any:
    return self._array_.shape, dtype_or(self._array_, dtype)


def product(first: Any, second: Any, name: str) -> tuple[Shape, Any]:
    """Shape and dtype of a product of matrices."""
    one, other = first._array_, second._array_
    if one.shape[-1] != other.shape[-2]:
        shapes = ["x".join(map(str, each.shape)) for each in (one, other)]
        raise RuntimeError(f"a and b must have same reduction dim, but got {shapes[0]} X {shapes[1]} ({name})")
    if one.dtype != other.dtype:
        raise RuntimeError(f"{name}: expected both factors to have the same dtype")
    return (*one.shape[:-1], other.shape[-1]), one.dtype


@shaped("mm", "bmm")
def product_shape(self: Any, other: Any) -> Any:
    return product(self, other, "mm")


@shaped("addmm", "baddbmm")
def sum_shape(self: Any, first: Any, second: Any, *others: Any) -> Any:
    return product(first, second, "addmm")


@shaped("mv")
def vector_shape(self: Any, vec: Any) -> Any:
    return self._array_.shape[:-1], self._array_.dtype


@shaped("masked_fill")
def filled_shape(self: Any, mask: Any, value: Any) -> Any:
    return sizes.broadcast(self._array_.shape, mask._array_.shape), self._array_.dtype


@shaped("cat")
def cat_shape(tensors: Any, dim: int = 0) -> Any:
    arrays = [each._array_ for each in tensors if each._array_.shape != (0,)] or [tensors[0]._array_]
    first, place = arrays[0], sizes.normalise(dim, arrays[0].ndim)
    for each in arrays[1:]:
        if each.dtype != first.dtype or each.ndim != first.ndim:
            raise NotImplementedError("cat of several dtypes or numbers of dimensions")
        if [*each.shape[:place], *each.shape[place + 1 :]] != [*first.shape[:place], *first.shape[place + 1 :]]:
            raise RuntimeError(f"Sizes of tensors must match except in dimension {place}.")
    length = sum([each.shape[place] for each in arrays])
    return (*first.shape[:place], length, *first.shape[place + 1 :]), first.dtype


@shaped("stack")
def stack_shape(tensors: Any, dim: int = 0) -> Any:
    first = tensors[0]._array_
    if any(each._array_.shape != first.shape or each._array_.dtype != first.dtype for each in tensors):
        raise RuntimeError("stack expects each tensor to be equal size and dtype")
    place = sizes.normalise(dim, first.ndim + 1)
    return (*first.shape[:place], len(tensors), *first.shape[place:]), first.dtype


@shaped("embedding")
def embedding_shape(weight: Any, indices: Any, *others: Any) -> Any:
    return (*indices._array_.shape, weight._array_.shape[-1]), weight._array_.dtype


@shaped("max_full", "min_full")
def one_shape(self: Any) -> Any:
    return (), self._array_.dtype


def kept(array: Any, dim: Any, keepdim: bool) -> Shape:
    """What a reduction over dimensions leaves of a shape."""
    gone = range(array.ndim) if dim is None or dim == () else [dim] if isinstance(dim, int) else dim
    places = {sizes.normalise(each, array.ndim) for each in gone}
    return tuple([1 if at in places else each for at, each in enumerate(array.shape) if keepdim or at not in places])


@shaped("sum", "mean", "prod", "nansum")
def reduced_shape(self: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    array = self._array_
    kind = INDEX if dtype is None and array.dtype.kind in "iub" else dtype_or(array, dtype)
    return kept(array, dim, keepdim), kind


@shaped("amax", "amin", "logsumexp")
def extreme_shape(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return kept(self._array_, dim, keepdim), self._array_.dtype


@shaped("argmax", "argmin")
def place_shape(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    return kept(self._array_, dim, keepdim), INDEX


@shaped("all", "any")
def truth_shape(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    kind = self._array_.dtype
    return kept(self._array_, dim, keepdim), kind if kind == np.uint8 else np.dtype(np.bool_)


def real(dtype: Any) -> Any:
    """The dtype of absolute values."""
    return np.zeros((), dtype).real.dtype


@shaped("var", "std")
def spread_shape(
    self: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, correction: Any = None
) -> Any:
    return kept(self._array_, None if isinstance(dim, bool) else dim, keepdim), real(self._array_.dtype)


@shaped("var_mean", "std_mean")
def spreads_shape(
    self: Any, dim: Any = None, unbiased: Any = None, keepdim: bool = False, correction: Any = None
) -> Any:
    shape, kind = spread_shape(self, dim, unbiased, keepdim)
    return [(shape, kind), (shape, self._array_.dtype)]


@shaped("linalg_vector_norm")
def norm_shape(self: Any, ord: Any = 2, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
    return kept(self._array_, dim, keepdim), real(dtype_or(self._array_, dtype))


@shaped("max_dim", "min_dim")
def extremes_shape(self: Any, dim: int, keepdim: bool = False) -> Any:
    shape = kept(self._array_, dim, keepdim)
    return [(shape, self._array_.dtype), (shape, INDEX)]


@shaped("sort_along")
def sorted_shape(self: Any, *others: Any) -> Any:
    return [(self._array_.shape, self._array_.dtype), (self._array_.shape, INDEX)]


def with_length(shape: Shape, dim: int, length: int) -> Shape:
    """A shape with another length along a dimension."""
    at = sizes.normalise(dim, len(shape))
    return (*shape[:at], length, *shape[at + 1 :])


@shaped("topk_along")
def top_shape(self: Any, k: int, dim: int = -1, *others: Any) -> Any:
    shape = with_length(self._array_.shape, dim, k) if self._array_.ndim else ()
    return [(shape, self._array_.dtype), (shape, INDEX)]


@shaped("index_select")
def selected_shape(self: Any, dim: int, index: Any) -> Any:
    array = self._array_
    return with_length(array.shape, dim, index._array_.size) if array.ndim else (), array.dtype


@shaped("gather")
def gathered_shape(self: Any, dim: int, index: Any, sparse_grad: bool = False) -> Any:
    return index._array_.shape, self._array_.dtype


@shaped("take")
def taken_shape(self: Any, index: Any) -> Any:
    return index._array_.shape, self._array_.dtype


@shaped("index")
def indexed_shape(self: Any, indices: Any) -> Any:
    arrays = [None if each is None else each._array_ for each in indices]
    if any(each is not None and each.dtype.kind == "b" for each in arrays):
        raise NotImplementedError("index")  # as many as are true
    zeros = [slice(None) if each is None else np.broadcast_to(np.zeros((), np.int64), each.shape) for each in arrays]
    array = self._array_
    if 0 in array.shape:
        raise NotImplementedError("index of a tensor without elements")
    return np.broadcast_to(np.zeros((), np.int8), array.shape)[tuple(zeros)].shape, array.dtype


@shaped("repeat")
def repeated_shape(self: Any, repeats: Any) -> Any:
    array, times = self._array_, tuple(repeats)
    lengths = (*(1,) * (len(times) - array.ndim), *array.shape)
    return tuple([length * count for length, count in zip(lengths, times)]), array.dtype


@shaped("_unsafe_view")
def viewed_shape(self: Any, size: Any) -> Any:
    array, shape = self._array_, tuple(size)
    if -1 in shape:
        known = math.prod([each for each in shape if each != -1])
        shape = tuple([array.size // max(known, 1) if each == -1 else each for each in shape])
    return shape, array.dtype


@shaped("dropout_noise")
def noise_shape(input: Any, shape: Any, *others: Any) -> Any:
    return tuple(shape), input._array_.dtype


@shaped("_mse_loss", "_smooth_l1_loss", "_huber_loss", "_binary_cross_entropy", "_binary_cross_entropy_with_logits")
def loss_shape(self: Any, target: Any, *others: Any) -> Any:
    reduction = next(each for each in others if isinstance(each, str))
    shape = sizes.broadcast(self._array_.shape, target._array_.shape)
    kind = dtypes.promote_types(self.dtype, target.dtype).numpy
    return shape if reduction == "none" else (), kind


@shaped("nll_loss_forward")
def class_loss_shape(self: Any, target: Any, weight: Any = None, reduction: str = "mean", *others: Any) -> Any:
    kind = self._array_.dtype
    return [(target._array_.shape if reduction == "none" else (), kind), ((), kind)]


@shaped("glu_backward", "mse_loss_backward", "smooth_l1_loss_backward", "huber_loss_backward", "nll_loss_backward")
def loss_slope_shape(grad: Any, self: Any, *others: Any) -> Any:
    return self._array_.shape, self._array_.dtype


@shaped("native_layer_norm")
def layer_norm_shape(input: Any, normalized_shape: Any, *others: Any) -> Any:
    array = input._array_
    lead = array.ndim - len(normalized_shape)
    statistics = (*array.shape[:lead], *(1,) * len(normalized_shape))
    return [(array.shape, array.dtype), (statistics, array.dtype), (statistics, array.dtype)]


@shaped("layer_norm_backward")
def layer_norm_slope_shape(grad: Any, input: Any, mean: Any, rstd: Any, weight: Any = None, *others: Any) -> Any:
    return [(each._array_.shape, each._array_.dtype) for each in (input, weight, weight) if each is not None]


@shaped("batch_norm_forward")
def batch_norm_shape(input: Any, *others: Any) -> Any:
    array = input._array_
    return [(array.shape, array.dtype), *[((array.shape[1],), array.dtype)] * 3]


@shaped("native_group_norm")
def group_norm_shape(
    input: Any, weight: Any, bias: Any, items: int, channels: int, places: int, group: int, eps: float
) -> Any:
    array = input._array_
    return [(array.shape, array.dtype), *[((items, group), array.dtype)] * 2]


@shaped("batch_norm_backward", "group_norm_backward")
def batch_norm_slope_shape(grad: Any, input: Any, mean: Any, spread: Any, weight: Any = None, *others: Any) -> Any:
    array = input._array_
    return [(array.shape, array.dtype), *[((array.shape[1],), array.dtype)] * (0 if weight is None else 2)]


@shaped(
    "adaptive_average_backward", "avg_pool2d_backward", "convolution_input", "convolution_weight",
    "diagonal_backward", "gather_backward", "index_backward", "index_select_backward", "resample_backward",
    "scatter_planes", "select_backward", "slice_backward", "split_backward", "unfold_backward",
)  # fmt: skip
def given_shape(grad: Any, *others: Any) -> Any:
    shape = next(each for each in others if isinstance(each, tuple))
    first = grad[0] if isinstance(grad, (tuple, list)) else grad
    return tuple(shape), first._array_.dtype


@shaped("embedding_dense_backward")
def embedding_slope_shape(grad: Any, indices: Any, rows: int, *others: Any) -> Any:
    return (rows, grad._array_.shape[-1]), grad._array_.dtype


@shaped("_scaled_dot_product_flash_attention_for_cpu")
def attention_shape(query: Any, key: Any, value: Any, *others: Any) -> Any:
    rows = query._array_.shape[:-1]
    return [((*rows, value._array_.shape[-1]), query._array_.dtype), (rows, query._array_.dtype)]
