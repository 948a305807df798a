"""Images at other sizes and places: what must hold whatever the image is; and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert import nn
from wengert.nn import functional as F

MODES = ("nearest", "nearest-exact", "bilinear", "bicubic", "area")
numbers = st.integers(0, 2**32 - 1)
lengths = st.integers(1, 9)


def options(mode):
    return {} if mode in ("nearest", "nearest-exact", "area") else {"align_corners": True}


@settings(max_examples=40, deadline=None)
@given(st.sampled_from((*MODES, "lanczos")), lengths, lengths, lengths, lengths, st.booleans())
def test_an_even_image_stays_even(mode, height, width, rows, columns, smooth):
    smooth = mode == "lanczos" or (smooth and mode in ("bilinear", "bicubic"))
    made = F.interpolate(wg.full((1, 2, height, width), 3.0), (rows, columns), mode=mode, antialias=smooth)
    np.testing.assert_allclose(made.numpy(), np.full((1, 2, rows, columns), 3.0), rtol=1e-5)


@settings(max_examples=40, deadline=None)
@given(numbers, st.sampled_from(MODES), lengths, lengths)
def test_the_same_size_gives_the_same_image(seed, mode, height, width):
    image = wg.tensor(np.random.default_rng(seed).standard_normal((2, 3, height, width)))
    for chosen in ({}, options(mode)):
        made = F.interpolate(image, (height, width), mode=mode, **chosen)
        np.testing.assert_allclose(made.numpy(), image.numpy(), atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(lengths, st.integers(2, 9), st.booleans())
def test_a_ramp_stays_a_ramp_where_nothing_is_outside(count, length, smooth):
    ramp = wg.arange(length, dtype=wg.float64).reshape(1, 1, 1, length).expand(1, 1, 2, length)
    made = F.interpolate(ramp, (2, count), mode="bilinear", align_corners=True)
    wanted = np.linspace(0, length - 1, count) if count > 1 else np.zeros(1)
    np.testing.assert_allclose(made[0, 0, 0].numpy(), wanted, atol=1e-12)


@settings(max_examples=30, deadline=None)
@given(numbers, st.sampled_from(("bilinear", "bicubic")), lengths, lengths, st.booleans())
def test_bytes_are_within_one_of_the_rounded_means(seed, mode, rows, columns, smooth):
    image = np.random.default_rng(seed).integers(0, 256, (1, 3, 5, 6), dtype=np.uint8)
    made = F.interpolate(wg.tensor(image), (rows, columns), mode=mode, antialias=smooth).numpy().astype(float)
    wide = F.interpolate(wg.tensor(image.astype(float)), (rows, columns), mode=mode, antialias=smooth).numpy()
    if not (smooth or mode == "bilinear"):  # rounded, and cut, between the two dimensions
        made, wide = made[..., 1:-1], wide[..., 1:-1]
    assert (abs(made - np.clip(wide, 0, 255)) < (2 if mode == "bilinear" else 40)).all()


@settings(max_examples=30, deadline=None)
@given(numbers, st.booleans(), st.sampled_from(("zeros", "border", "reflection")), st.sampled_from((2, 3)))
def test_the_grid_of_the_identity_gives_the_image(seed, corners, padding, dims):
    draws = np.random.default_rng(seed)
    image = wg.tensor(draws.standard_normal((2, 3, *draws.integers(2, 5, dims))))
    identity = wg.eye(dims, dims + 1, dtype=wg.float64).expand(2, dims, dims + 1)
    grid = F.affine_grid(identity, image.shape, corners)
    for mode in ("bilinear", "nearest", "bicubic")[: 5 - dims]:
        made = F.grid_sample(image, grid, mode, padding, corners)
        np.testing.assert_allclose(made.numpy(), image.numpy(), atol=1e-12)


def test_places_outside_are_zero_the_edge_or_the_mirrored_image():
    image = wg.tensor([[[[1.0, 2.0, 4.0]]]])
    grid = wg.tensor([[[[x, 0.0] for x in (-2.0, 1.5, 2.0)]]])  # middles at -1, 0 and 1
    for padding, wanted in (("zeros", [0, 2, 0]), ("border", [1, 4, 4]), ("reflection", [2, 3, 2])):
        assert F.grid_sample(image, grid, "bilinear", padding, True).flatten().tolist() == wanted


@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_places_that_are_none_touch_no_other_memory(padding):
    grid = wg.tensor([[[[float("nan"), 0], [float("inf"), 1], [-1e38, -1e38], [3e9, 0]]]], requires_grad=True)
    image = wg.ones(1, 1, 3, 3, requires_grad=True)
    for mode in ("bilinear", "nearest", "bicubic"):
        F.grid_sample(image, grid, mode, padding, False).sum().backward()
        assert image.grad.shape == image.shape


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


def test_random_slopes_lie_between_their_bounds_and_are_the_derivative():
    x = wg.tensor([-1.0] * 100 + [2.0] * 3, requires_grad=True)
    made = F.rrelu(x, 0.1, 0.3, training=True)
    (grad,) = wg.autograd.grad(made.sum(), x)
    assert ((grad[:100] >= 0.1) & (grad[:100] < 0.3)).all()
    assert len(set(grad[:100].tolist())) > 90
    assert made[:100].tolist() == (-grad[:100]).tolist()
    assert made[100:].tolist() == [2.0] * 3


def test_a_hard_gumbel_sample_is_one_class_with_the_gradient_of_the_soft_one():
    scores = wg.tensor([[0.0, 1.0, 2.0]] * 2000, requires_grad=True)
    made = F.gumbel_softmax(scores, hard=True)
    assert (made.sum(1) - 1).abs().max().item() < 1e-6
    share = made.mean(0).tolist()
    np.testing.assert_allclose(share, np.exp([0, 1, 2]) / np.exp([0, 1, 2]).sum(), atol=0.05)
    (grad,) = wg.autograd.grad(made[:, 2].sum(), scores)
    assert grad.abs().sum() > 0


@pytest.mark.parametrize("padding", ["zeros", "border"])
def test_a_place_that_is_none_has_no_part_in_gradients(padding):
    image, grid = wg.ones(1, 1, 2, 2, requires_grad=True), wg.zeros(1, 1, 2, 2)
    grid[0, 0, 0, 0] = float("nan")
    grid.requires_grad_()
    made = F.grid_sample(image, grid, "bilinear", padding, True)
    (of_grid, of_image) = wg.autograd.grad(made.sum(), (grid, image))
    assert of_grid[0, 0, 0, 0] == 0
    assert of_grid[0, 0, 0, 1].isnan() if padding == "zeros" else of_grid[0, 0, 0, 1] == 0
    assert bool(of_image.isfinite().all())


@pytest.mark.parametrize("shape", [(1, 2, 0, 3), (2, 3, 1, 2, 2, 2), (0, 2, 2)])
def test_an_average_of_one_window_is_a_mean_of_whatever_there_is(shape):
    made = F.adaptive_avg_pool2d(wg.ones(shape, requires_grad=True), 1)
    assert made.shape == (*shape[:-2], 1, 1) and made.grad_fn.name() == "MeanBackward1"
    assert bool((made.isnan() if 0 in shape[-2:] else made == 1).all())


def test_a_size_that_is_kept_may_be_one_window():
    rows = wg.ones(2, 2, 1, 3, requires_grad=True)
    assert F.adaptive_avg_pool2d(rows, (None, 1)).grad_fn.name() == "MeanBackward1"
    assert F.adaptive_avg_pool2d(rows, (1, None)).grad_fn.name() == "AdaptiveAvgPool2DBackward0"


def sampled_at(first, **options):
    """The value of an image at (first, 0.2), the gradients of the image and of the grid."""
    image = wg.arange(1.0, 13.0).reshape(1, 1, 3, 4).requires_grad_()
    grid = wg.tensor([[[[first, 0.2]]]], requires_grad=True)
    value = F.grid_sample(image, grid, align_corners=False, **options)
    return value.item(), *wg.autograd.grad(value, (image, grid))


@pytest.mark.parametrize("first", [float("inf"), 2.0**31, 1e30, 3e38])
@pytest.mark.parametrize("mode", ["bilinear", "nearest"])
def test_places_beyond_all_numbers_lie_at_the_border(first, mode):
    for sign, near in ((1, 2.0), (-1, -2.0)):
        found, expected = (sampled_at(at, mode=mode, padding_mode="border") for at in (sign * first, near))
        assert found[0] == expected[0]
        assert found[1].equal(expected[1])
        assert found[2].equal(expected[2])


@pytest.mark.parametrize("first", [float("inf"), -float("inf"), float("nan")])
def test_places_that_are_none_have_no_value_and_leave_the_image_its_gradient(first):
    for mode in ("bilinear", "bicubic"):
        value, image, grid = sampled_at(first, mode=mode)
        assert value != value
        assert not image.any()
        assert grid[..., 1].isnan()
    assert sampled_at(first, mode="nearest")[0] == 0
    assert sampled_at(float("nan"), mode="nearest", padding_mode="border")[0] == 5
    assert sampled_at(first, mode="nearest", padding_mode="reflection")[0] == 5


def test_places_in_volumes_that_are_none_are_outside_or_the_last():
    volume = wg.arange(24.0).reshape(1, 1, 2, 3, 4)
    grid = wg.tensor([[[[[float("nan"), 0.0, -1.0]]]]])
    found = [
        F.grid_sample(volume, grid, "nearest", padding, False).item() for padding in ("zeros", "border", "reflection")
    ]
    assert found == [0, 7, 7]


@pytest.mark.parametrize(("padding", "align", "place"), [(1, True, -1.0), (1, False, 0.5), (2, True, 3.0)])
def test_slopes_that_are_cut_off_at_the_very_border_do_not_change_with_the_place(padding, align, place):
    volume = wg.arange(8.0, dtype=wg.float64).square().reshape(1, 1, 2, 2, 2)
    grid = wg.tensor([[[[[0.2, 0.3, place]]]]], dtype=wg.float64, requires_grad=True)
    value = wg.grid_sampler_3d(volume, grid, 0, padding, align)
    (slope,) = wg.autograd.grad(value.sum(), grid, create_graph=True)
    (second,) = wg.autograd.grad(slope[..., 0].sum(), grid)
    assert slope[..., 2].item() == 0 and second[..., 2].item() == 0
    assert align is False or second[..., 1].item() != 0
