"""Bilinear map: a product of two vectors with a matrix for each feature of the result."""

from __future__ import annotations

from typing import Any

from ..._core.cards.card import Bad, Sample, composite
from ..._core.tensor.base import Tensor


@composite(method=False)
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Any:
    """Return `x1 @ weight[k] @ x2 + bias[k]` for each output feature k.

    Args:
        input1: (..., first).
        input2: (..., second).
        weight: (features, first, second).
        bias: (features,), or None.

    Returns:
        A new tensor (..., features).

    Raises:
        RuntimeError: if the shapes do not fit, or the dtypes differ.

    Examples:
        >>> import wengert as wg
        >>> wg.nn.functional.bilinear(wg.tensor([[1.0, 2.0]]), wg.tensor([[3.0, 4.0]]), wg.eye(2).unsqueeze(0))
        tensor([[11.]])
    """
    features, first, second = check_bilinear(input1, input2, weight, bias)
    products = input1.unsqueeze(-1) * input2.unsqueeze(-2)
    result = products.flatten(-2) @ weight.reshape(features, first * second).t()
    result = result.view(*input1.shape[:-1], features)
    return result if bias is None else result + bias


def check_bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None) -> tuple[int, int, int]:
    """Refuse vectors, matrices and biases that do not fit; return the shape of `weight`."""
    if input1.ndim != input2.ndim:
        raise RuntimeError(f"bilinear(): input dimensions do not match: got {input1.ndim} and {input2.ndim}")
    for at, (size, other) in enumerate(zip(input1.shape[:-1], input2.shape[:-1])):
        if size != other:
            raise RuntimeError(f"bilinear(): input batch dimensions do not match at dim {at}: got {size} and {other}")
    if weight.ndim != 3:
        raise RuntimeError(f"bilinear(): weight must have 3 dimensions, but got {weight.ndim}")
    if not input1.ndim:
        raise IndexError("bilinear(): Dimension specified as -1 but tensor has no dimensions")
    operands = {"input1": input1, "input2": input2, "weight": weight, **({} if bias is None else {"bias": bias})}
    if any(tensor.dtype is not input1.dtype for tensor in operands.values()):
        types = ", ".join([f"{name}: {tensor.dtype.legacy[:-6].lower()}" for name, tensor in operands.items()])
        raise RuntimeError(f"bilinear(): All tensors must have the same dtype, got {types}")
    features, first, second = weight.shape
    for name, length, wanted in (("input1", input1.shape[-1], first), ("input2", input2.shape[-1], second)):
        if length != wanted:
            raise RuntimeError(
                f"bilinear(): {name} size does not match weight size: got {length} but expected {wanted}"
            )
    if bias is not None and not bias.ndim:
        raise IndexError("bilinear(): Dimension specified as 0 but tensor has no dimensions")
    if bias is not None and bias.shape[0] != features:
        raise RuntimeError(
            f"bilinear(): bias size does not match weight size: got {bias.shape[0]} but expected {features}"
        )
    return features, first, second


@bilinear.samples
def bilinear_samples(make: Any) -> Any:
    yield Sample(make(3, 2), make(3, 4), make(5, 2, 4), make(5))
    yield Sample(make(2, 1, 2), make(2, 1, 4), make(5, 2, 4))
    yield Bad(make(3, 2), make(2, 4), make(5, 2, 4), raises=RuntimeError, says="bilinear(): ")
    yield Bad(make(), make(), make(5, 2, 4), raises=IndexError, says="Dimension specified as -1")
    yield Bad(make(3, 2), make(3, 4), make(5, 2, 4), make(), raises=IndexError, says="Dimension specified as 0")
