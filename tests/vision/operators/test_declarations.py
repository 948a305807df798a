"""The operators as `torch.ops.torchvision` has them: loaded, recorded, on "meta", within autocast, batched."""

import numpy as np
import pytest

import wengert as wg

wg.ops.load_library("lib/torchvision/_C_stable.so")
ops = wg.ops.torchvision
POOLING = {"roi_align": (2, True), "roi_pool": (), "ps_roi_align": (2,), "ps_roi_pool": ()}


def pooled(name: str, x: wg.Tensor, rois: wg.Tensor) -> wg.Tensor:
    """The first result of one of the pooling operators."""
    result = getattr(ops, name)(x, rois, 0.5, 2, 1, *POOLING[name])
    return result[0] if isinstance(result, tuple) else result


def images_and_regions() -> tuple[wg.Tensor, wg.Tensor]:
    rng = np.random.default_rng(0)
    rois = [[0, 1.3, 0.2, 9.1, 7.7], [1, 3.1, 2.2, 12.3, 8.8], [1, 0.4, 5.5, 6.0, 13.1]]
    return wg.tensor(rng.standard_normal((2, 4, 7, 6))), wg.tensor(rois).double()


def test_other_libraries_of_torchvision_are_refused_as_where_they_cannot_be_loaded() -> None:
    for path in ("lib/torchvision/video_reader.so", "lib/other/_C.so", "_C.so"):
        with pytest.raises(OSError, match="needs torch's own library"):
            wg.ops.load_library(path)


def test_all_operators_are_there() -> None:
    names = {"nms", "qnms", "deform_conv2d", "box_iou_rotated", "_cuda_version", *POOLING}
    assert names | {f"_{name}_backward" for name in POOLING} < set(dir(ops))
    assert ops._cuda_version() == -1
    assert str(ops.nms.default._schema) == "torchvision::nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"


@pytest.mark.parametrize("name", POOLING)
def test_gradients_are_those_of_differences(name: str) -> None:
    x, rois = images_and_regions()
    assert wg.autograd.gradcheck(lambda x: pooled(name, x, rois), [x.requires_grad_()])


@pytest.mark.parametrize("name", POOLING)
def test_second_derivatives_are_refused(name: str) -> None:
    x, rois = images_and_regions()
    (grad,) = wg.autograd.grad((pooled(name, x.requires_grad_(), rois) ** 2).sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match=f"double backwards on {name} not supported"):
        grad.sum().backward()


@pytest.mark.parametrize("name", POOLING)
def test_a_batch_is_pooled_member_by_member(name: str) -> None:
    x, rois = images_and_regions()
    batch = wg.stack([x, -x, 3 * x])
    result = wg.func.vmap(lambda member: pooled(name, member, rois))(batch)
    for member, expected in zip(batch, result):
        assert wg.equal(pooled(name, member, rois), expected)


def test_functions_registered_for_other_keys_are_called_there() -> None:
    library = wg.library.Library("declared_in_tests", "DEF")
    library.define("scale(Tensor x, float factor) -> Tensor")
    library.impl("scale", lambda x, factor: x * factor, "CPU")
    library.impl("scale", lambda x, factor: x.new_empty((7,)), "Meta")

    def within_autocast(x: wg.Tensor, factor: float) -> wg.Tensor:
        keys = wg._C.DispatchKeySet(wg._C.DispatchKey.AutocastCPU)
        with wg._C._ExcludeDispatchKeyGuard(keys):
            return wg.ops.declared_in_tests.scale(x.float(), factor).to(x.dtype)

    library.impl("scale", within_autocast, "AutocastCPU")
    library.impl("scale", None.__class__, "AutocastCUDA")  # for another device: kept from calls
    scale = wg.ops.declared_in_tests.scale
    x = wg.tensor([1.0, 2.0], dtype=wg.bfloat16)
    assert scale(x, 2.0).tolist() == [2.0, 4.0]
    assert scale(x.to("meta"), 2.0).shape == (7,)
    with wg.autocast("cpu"):
        assert scale(x, 3.0).tolist() == [3.0, 6.0]
        assert scale(x, 3.0).dtype is wg.bfloat16
