"""Operators in the namespace `torchvision`: importing this module declares them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wengert.library import Library, register_autograd
from wengert.ops.namespaces import namespace

from . import boxes, deformable, regions

BINS = "float spatial_scale, SymInt pooled_height, SymInt pooled_width"
SHAPE = "SymInt batch_size, SymInt channels, SymInt height, SymInt width"
TAPS = (
    "SymInt stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, "
    "SymInt groups, SymInt offset_groups, bool use_mask"
)
OPERATORS: dict[str, tuple[str, Callable[..., Any] | None]] = {
    "nms": ("(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", boxes.nms),
    "qnms": ("(Tensor dets, Tensor scores, float iou_threshold) -> Tensor", boxes.qnms),
    "box_iou_rotated": ("(Tensor boxes1, Tensor boxes2) -> Tensor", boxes.box_iou_rotated),
    "roi_align": (
        f"(Tensor input, Tensor rois, {BINS}, int sampling_ratio, bool aligned) -> Tensor",
        regions.roi_align,
    ),
    "_roi_align_backward": (
        f"(Tensor grad, Tensor rois, {BINS}, {SHAPE}, int sampling_ratio, bool aligned) -> Tensor",
        regions.roi_align_backward,
    ),
    "qroi_align": (  # declared only: there are no quantised tensors
        "(Tensor input, Tensor rois, float input_scale, int input_zero_point, float rois_scale, int rois_zero_point, "
        f"{BINS}, int sampling_ratio, bool aligned) -> Tensor",
        None,
    ),
    "roi_pool": (f"(Tensor input, Tensor rois, {BINS}) -> (Tensor, Tensor)", regions.roi_pool),
    "_roi_pool_backward": (
        f"(Tensor grad, Tensor rois, Tensor argmax, {BINS}, {SHAPE}) -> Tensor",
        regions.roi_pool_backward,
    ),
    "ps_roi_align": (
        f"(Tensor input, Tensor rois, {BINS}, int sampling_ratio) -> (Tensor, Tensor)",
        regions.ps_roi_align,
    ),
    "_ps_roi_align_backward": (
        f"(Tensor grad, Tensor rois, Tensor channel_mapping, {BINS}, int sampling_ratio, {SHAPE}) -> Tensor",
        regions.ps_roi_align_backward,
    ),
    "ps_roi_pool": (f"(Tensor input, Tensor rois, {BINS}) -> (Tensor, Tensor)", regions.ps_roi_pool),
    "_ps_roi_pool_backward": (
        f"(Tensor grad, Tensor rois, Tensor channel_mapping, {BINS}, {SHAPE}) -> Tensor",
        regions.ps_roi_pool_backward,
    ),
    "_deform_conv2d_backward": (
        f"(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, {TAPS}) "
        "-> (Tensor, Tensor, Tensor, Tensor, Tensor)",
        deformable.deform_conv2d_backward,
    ),
    "_cuda_version": ("() -> int", lambda: -1),
}
"""Name -> schema and kernel of an operator that is recorded as one."""

POOLING = ("roi_align", "roi_pool", "ps_roi_align", "ps_roi_pool")
"""Operators that are linear in their first argument, for fixed positions of maxima."""


def declare() -> None:
    """Declare the operators, with their derivatives."""
    library = Library("torchvision", "DEF")
    for name, (schema, kernel) in OPERATORS.items():
        library.define(name + schema)
        if kernel is not None:
            library.impl(name, kernel, "CPU")
    library.define(
        f"deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, {TAPS}) -> Tensor"
    )
    library.impl("deform_conv2d", deformable.deform_conv2d, "CompositeImplicitAutograd")
    for name in POOLING:
        register_autograd(f"torchvision::{name}", backward_of(name), setup_context=remember)
        register_autograd(f"torchvision::_{name}_backward", refusal_of(name))


def remember(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    """Save the arguments of the backward operator of a pooling."""
    image, rois, *options = inputs
    choice = output[1:] if isinstance(output, tuple) else ()
    ctx.save_for_backward(rois, *choice)
    ctx.options, ctx.shape = options, image.shape


def backward_of(name: str) -> Callable[..., Any]:
    """Return the derivative of a pooling operator."""
    operator = getattr(namespace("torchvision"), f"_{name}_backward")

    def backward(ctx: Any, grad: Any, *unused: Any) -> tuple[Any, ...]:
        scale, height, width, *rest = ctx.options
        tail = (*rest, *ctx.shape) if name == "ps_roi_align" else (*ctx.shape, *rest)
        return operator(grad, *ctx.saved_tensors, scale, height, width, *tail), *[None] * (len(ctx.options) + 1)

    return backward


def refusal_of(name: str) -> Callable[..., Any]:
    """Return a derivative of a backward operator, which raises, as in torchvision."""

    def refuse(ctx: Any, *grads: Any) -> Any:
        raise RuntimeError(f"double backwards on {name} not supported")

    return refuse


declare()
