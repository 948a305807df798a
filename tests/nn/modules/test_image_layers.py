"""Layers of images print as in torch; what functions of images refuse."""

import pytest

import wengert as wg
from wengert import nn
from wengert.nn import functional as F


@pytest.mark.parametrize(
    ("made", "wrong"),
    [
        (lambda x: F.interpolate(x, 3, mode="linear"), "linear mode needs 3D input"),
        (lambda x: F.interpolate(x, (2.5, 3)), "expected size to be one of int"),
        (lambda x: F.interpolate(x, 3, scale_factor=2), "only one of size or scale_factor"),
        (lambda x: F.interpolate(x, 3, antialias=True), "restricted to bilinear, bicubic, and lanczos"),
        (lambda x: F.interpolate(x, 3, mode="lanczos"), "requires antialias=True"),
        (lambda x: F.interpolate(x, scale_factor=0.1), "should be greater than 0"),
        (lambda x: F.grid_sample(x, wg.zeros(2, 2, 2, 2), align_corners=False), "same batch size"),
        (lambda x: F.grid_sample(x, wg.zeros(1, 2, 2, 2), "cubic"), "expected mode to be"),
        (lambda x: F.affine_grid(x[0], (1, 1, 2, 2), False), "batch of 2D affine matrices"),
        (lambda x: F.channel_shuffle(x, 2), "must be divisible by groups"),
        (lambda x: F.interpolate(x, 2**62), "size calculation overflowed"),
        (lambda x: F.interpolate(x, scale_factor=1e18, mode="bilinear"), "size calculation overflowed"),
        (lambda x: F.interpolate(x, scale_factor=float("nan")), "must be finite"),
        (lambda x: F.affine_grid(wg.ones(1, 2, 3), (1, 1, 2**62, 2**62), False), "size calculation overflowed"),
        (lambda x: F.local_response_norm(x, 2**62), "size calculation overflowed"),
    ],
)
def test_what_does_not_fit_is_refused(made, wrong):
    with pytest.raises((ValueError, TypeError, RuntimeError, NotImplementedError), match=wrong):
        made(wg.ones(1, 3, 4, 4))


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        ("Upsample(scale_factor=2, mode='bilinear')", "Upsample(scale_factor=2.0, mode='bilinear')"),
        ("Upsample((3, 4))", "Upsample(size=(3, 4), mode='nearest')"),
        ("UpsamplingBilinear2d(scale_factor=3)", "UpsamplingBilinear2d(scale_factor=3.0, mode='bilinear')"),
        ("PixelShuffle(2)", "PixelShuffle(upscale_factor=2)"),
        ("ChannelShuffle(2)", "ChannelShuffle(groups=2)"),
        ("LocalResponseNorm(3)", "LocalResponseNorm(3, alpha=0.0001, beta=0.75, k=1.0)"),
        ("CrossMapLRN2d(3)", "CrossMapLRN2d(3, alpha=0.0001, beta=0.75, k=1)"),
        ("RReLU()", "RReLU(lower=0.125, upper=0.3333333333333333)"),
        ("GLU()", "GLU(dim=-1)"),
        ("FeatureAlphaDropout()", "FeatureAlphaDropout(p=0.5, inplace=False)"),
        ("CosineSimilarity()", "CosineSimilarity()"),
    ],
)
def test_layers_print_as_in_torch(layer, text):
    made = eval(layer, vars(nn))
    assert repr(made) == text
    assert made.eval()(*[wg.randn(1, 4, 2, 2)] * (2 if layer.startswith("Cosine") else 1)) is not None
