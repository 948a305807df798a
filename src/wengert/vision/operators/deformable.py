"""Deformable convolution (Dai et al., 2017; Zhu et al., "Deformable ConvNets v2", 2019).

Each tap of the kernel reads the image at a position shifted by an offset, by bilinear interpolation, times a mask. It
is composed of other operators, so that all its derivatives follow from theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import wengert as wg
from wengert._tensor import Tensor


@dataclass(frozen=True)
class Taps:
    """The geometry of a convolution in two dimensions; pairs are (height, width).

    Attributes:
        kernel, stride, padding, dilation: as of `conv2d`.
        size: size of the result.
    """

    kernel: tuple[int, int]
    stride: tuple[int, int]
    padding: tuple[int, int]
    dilation: tuple[int, int]
    size: tuple[int, int]

    def positions(self, axis: int, like: Tensor) -> Tensor:
        """Return the unshifted positions of taps on an axis, of shape (taps, height, width) of the result."""
        starts = wg.arange(self.size[axis], dtype=like.dtype) * self.stride[axis] - self.padding[axis]
        steps = wg.arange(self.kernel[axis], dtype=like.dtype) * self.dilation[axis]
        if axis == 0:
            return (steps[:, None, None, None] + starts[:, None]).expand(*self.kernel, *self.size).flatten(0, 1)
        return (steps[:, None, None] + starts).expand(*self.kernel, *self.size).flatten(0, 1)


def check(
    input: Tensor, weight: Tensor, offset: Tensor, mask: Tensor | None, taps: Taps, groups: Sequence[int]
) -> None:
    """Refuse operands that do not fit each other.

    Raises:
        RuntimeError: if a shape does not fit the others.
    """
    if input.dim() != 4 or offset.dim() != 4 or weight.dim() != 4:
        raise RuntimeError(
            "deform_conv2d: input, offset and weight must have 4 dimensions, "
            f"but got {input.dim()}, {offset.dim()} and {weight.dim()}"
        )
    weight_groups, offset_groups = groups
    count = taps.kernel[0] * taps.kernel[1]
    batch, channels = input.shape[:2]
    if weight.size(1) * weight_groups != channels or weight.size(0) % max(weight_groups, 1):
        raise RuntimeError(
            f"deform_conv2d: weight of shape {tuple(weight.shape)} in {weight_groups} groups does not fit an input of "
            f"{channels} channels"
        )
    if offset_groups <= 0 or channels % offset_groups:
        raise RuntimeError(f"deform_conv2d: {channels} channels cannot be shared out among {offset_groups} groups")
    wanted = (batch, 2 * offset_groups * count, *taps.size)
    if tuple(offset.shape) != wanted:
        raise RuntimeError(f"deform_conv2d: expected offset of shape {wanted}, but got {tuple(offset.shape)}")
    wanted = (batch, offset_groups * count, *taps.size)
    if mask is not None and tuple(mask.shape) != wanted:
        raise RuntimeError(f"deform_conv2d: expected mask of shape {wanted}, but got {tuple(mask.shape)}")


def corner(image: Tensor, y: Tensor, x: Tensor, weight: Tensor) -> Tensor:
    """Return pixels times their weights; zero for pixels outside of the image.

    Args:
        image: of shape (N, groups, C, H, W).
        y, x: int64 of shape (N, groups, taps, h, w).
        weight: of the same shape.
    """
    height, width = image.shape[-2:]
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    places = (y * width + x).masked_fill(~inside, 0).flatten(2)[:, :, None].expand(-1, -1, image.size(2), -1)
    pixels = image.flatten(3).gather(3, places).unflatten(3, y.shape[2:])
    return pixels * wg.where(inside, weight, 0)[:, :, None]


def sampled(image: Tensor, y: Tensor, x: Tensor) -> Tensor:
    """Return the image at fractional positions by bilinear interpolation; it is surrounded by zeros.

    Args:
        image: of shape (N, groups, C, H, W).
        y, x: of shape (N, groups, taps, h, w).

    Returns:
        Values of shape (N, groups, C, taps, h, w).
    """
    height, width = image.shape[-2:]
    near = (y > -1) & (y < height) & (x > -1) & (x < width)
    y, x = wg.where(near, y, -1), wg.where(near, x, -1)
    top, left = y.detach().floor(), x.detach().floor()
    down, right = y - top, x - left
    rows, columns = top.long(), left.long()
    return (
        corner(image, rows, columns, (1 - down) * (1 - right))
        + corner(image, rows, columns + 1, (1 - down) * right)
        + corner(image, rows + 1, columns, down * (1 - right))
        + corner(image, rows + 1, columns + 1, down * right)
    )


def deform_conv2d(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor,
    bias: Tensor,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Tensor:
    """Return the convolution of images with a kernel whose taps are shifted.

    Args:
        input: of shape (N, C, H, W).
        weight: of shape (O, C / groups, kh, kw).
        offset: shifts of taps, pairs (y, x), of shape (N, 2 * offset_groups * kh * kw, h, w).
        mask: factors of taps, of shape (N, offset_groups * kh * kw, h, w); not read unless `use_mask` is True.
        bias: of shape (O,).
        stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w: as of `conv2d`.
        groups: number of groups of channels that are convolved separately.
        offset_groups: number of groups of channels with separate offsets.
        use_mask: whether there is a mask.

    Returns:
        Tensor of shape (N, O, h, w).

    Raises:
        RuntimeError: if a shape does not fit the others.
    """
    kernel, size = (weight.size(2), weight.size(3)), (offset.size(2), offset.size(3))
    taps = Taps(kernel, (stride_h, stride_w), (pad_h, pad_w), (dilation_h, dilation_w), size)
    check(input, weight, offset, mask if use_mask else None, taps, (groups, offset_groups))
    count = kernel[0] * kernel[1]
    moved = offset.unflatten(1, (offset_groups, count, 2))
    image = input.unflatten(1, (offset_groups, input.size(1) // offset_groups))
    columns = sampled(image, moved[:, :, :, 0] + taps.positions(0, input), moved[:, :, :, 1] + taps.positions(1, input))
    if use_mask:
        columns = columns * mask.unflatten(1, (offset_groups, 1, count))
    columns = columns.flatten(4).flatten(1, 2).unflatten(1, (groups, weight.size(1))).flatten(2, 3)
    kernels = weight.flatten(1).unflatten(0, (groups, weight.size(0) // groups))
    result = (kernels @ columns).flatten(1, 2).unflatten(2, size)
    return result + bias[:, None, None]


def deform_conv2d_backward(
    grad: Tensor, input: Tensor, weight: Tensor, offset: Tensor, mask: Tensor, bias: Tensor, *options: int
) -> tuple[Tensor, ...]:
    """Return the gradients of `deform_conv2d` with respect to its five tensors; `options` are its other arguments."""
    tensors = [tensor.detach().requires_grad_() for tensor in (input, weight, offset, mask, bias)]
    with wg.enable_grad():
        result = deform_conv2d(*tensors, *options)  # type: ignore[arg-type]
    return wg.autograd.grad(result, tensors, grad, allow_unused=True, materialize_grads=True)
