"""Layers of convolution in one to three dimensions, plain and transposed; gradients as functions (`nn.grad`)."""

import pytest
from hypothesis import given, strategies as st

import wengert as wg
from wengert import nn
from wengert.nn import functional, grad

# What torch 2.13 prints.
PRINTED = [
    (
        "Conv3d(2, 4, (1, 2, 3), padding='valid')",
        "Conv3d(2, 4, kernel_size=(1, 2, 3), stride=(1, 1, 1), padding=valid)",
    ),
    (
        "ConvTranspose2d(4, 2, 3, stride=2, padding=1, output_padding=1, groups=2, bias=False)",
        "ConvTranspose2d(4, 2, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), output_padding=(1, 1), groups=2, "
        "bias=False)",
    ),
    ("ConvTranspose1d(1, 1, 2)", "ConvTranspose1d(1, 1, kernel_size=(2,), stride=(1,))"),
    (
        "ConvTranspose3d(1, 2, 2, dilation=2)",
        "ConvTranspose3d(1, 2, kernel_size=(2, 2, 2), stride=(1, 1, 1), dilation=(2, 2, 2))",
    ),
]


@pytest.mark.parametrize(("source", "printed"), PRINTED)
def test_a_convolution_prints_as_in_torch(source, printed):
    assert repr(eval(f"nn.{source}", {"nn": nn})) == printed


@st.composite
def convolutions(draw):
    """Number of dimensions, options of a convolution, and lengths of an input that is long enough."""
    count = draw(st.integers(1, 3))
    groups = draw(st.integers(1, 2))
    each = [
        (draw(st.integers(1, 3)), draw(st.integers(1, 3)), draw(st.integers(0, 2)), draw(st.integers(1, 2)))
        for _ in range(count)
    ]
    kernel, stride, padding, dilation = zip(*each)
    lengths = tuple(max(1, gap * (taps - 1) + 1 - 2 * side) + draw(st.integers(0, 3)) for taps, _, side, gap in each)
    options = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    return count, groups, kernel, options, lengths


@given(convolutions())
def test_the_transposed_layer_with_the_same_kernels_is_the_transpose(given):
    count, groups, kernel, options, lengths = given
    plain = getattr(nn, f"Conv{count}d")(2 * groups, 3 * groups, kernel, bias=False, **options).double()
    turned = getattr(nn, f"ConvTranspose{count}d")(3 * groups, 2 * groups, kernel, bias=False, **options).double()
    assert turned.weight.shape == plain.weight.shape
    turned.load_state_dict(plain.state_dict())
    x = wg.randn(2, 2 * groups, *lengths, dtype=wg.float64)
    made = plain(x)
    y = wg.randn(made.shape, dtype=wg.float64)
    back = turned(y, output_size=x.shape)
    assert back.shape == x.shape
    assert turned(y[0], output_size=lengths).shape == x.shape[1:]
    wg.testing.assert_close((made * y).sum(), (x * back).sum())


@given(convolutions())
def test_gradients_as_functions_are_those_of_the_convolution(given):
    count, groups, kernel, options, lengths = given
    x = wg.randn(2, 2 * groups, *lengths, dtype=wg.float64).requires_grad_()
    weight = wg.randn(3 * groups, 2, *kernel, dtype=wg.float64).requires_grad_()
    made = getattr(functional, f"conv{count}d")(x, weight, **options)
    slope = wg.randn(made.shape, dtype=wg.float64)
    by_input, by_weight = wg.autograd.grad(made, (x, weight), slope)
    wg.testing.assert_close(getattr(grad, f"conv{count}d_input")(x.shape, weight, slope, **options), by_input)
    wg.testing.assert_close(getattr(grad, f"conv{count}d_weight")(x, weight.shape, slope, **options), by_weight)


@pytest.mark.parametrize("mode", ["circular", "reflect", "replicate"])
def test_a_padding_mode_pads_before_the_convolution(mode):
    for count in (1, 2, 3):
        padding = (1, 2, 0)[:count]
        layer = getattr(nn, f"Conv{count}d")(2, 3, 3, padding=padding, padding_mode=mode).double()
        x = wg.randn(2, 2, *(5, 4, 6)[:count], dtype=wg.float64)
        widths = [width for side in reversed(padding) for width in (side, side)]
        expected = layer.convolution(functional.pad(x, widths, mode), layer.weight, layer.bias)
        wg.testing.assert_close(layer(x), expected)
        assert layer._reversed_padding_repeated_twice == tuple(widths)


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: nn.ConvTranspose2d(2, 3, 3, padding_mode="reflect"), ValueError, 'Only "zeros" padding mode'),
        (lambda: nn.ConvTranspose2d(2, 3, 3, groups=3), ValueError, "in_channels must be divisible by groups"),
        (
            lambda: nn.ConvTranspose2d(2, 3, 3, 2)(wg.ones(2, 4, 4), (8, 20)),
            ValueError,
            r"requested an output size of \[8, 20\], but valid sizes range from \[9, 9\] to \[10, 10\]",
        ),
        (lambda: nn.ConvTranspose1d(2, 3, 3)(wg.ones(2, 4), (8, 2, 2)), ValueError, r"must have 1 or 2 elements"),
        (lambda: nn.Conv3d(2, 3, 3)(wg.ones(2, 4)), RuntimeError, r"Expected 4D \(unbatched\) or 5D"),
        (
            lambda: nn.modules.conv._ConvNd(1, 1, (1,), (1,), (0,), (1,), False, (0,), 1, False, "zeros")._conv_forward(
                wg.ones(1), wg.ones(1), None
            ),
            NotImplementedError,
            "defines no _conv_forward",
        ),
        (lambda: grad.conv1d_input((1, 1, 4), wg.ones(1, 1, 2), wg.ones(1, 1, 9)), RuntimeError, "expected a gradient"),
    ],
)
def test_bad_options_and_inputs_are_refused(make, error, says):
    with pytest.raises(error, match=says):
        make()


def test_a_subclass_may_compute_its_kernels():
    class Normed(nn.Conv2d):
        def forward(self, input):
            return self._conv_forward(input, self.weight / self.weight.norm(), self.bias)

    layer = Normed(1, 2, 3)
    assert isinstance(layer, nn.modules.conv._ConvNd)
    made = layer(wg.ones(1, 1, 3, 3))
    wg.testing.assert_close(
        made, functional.conv2d(wg.ones(1, 1, 3, 3), layer.weight / layer.weight.norm(), layer.bias)
    )


def test_signals_with_the_channels_last_are_convolved():
    x, weight, bias = wg.randn(5, 2, 3), wg.randn(2, 3, 4), wg.randn(4)
    made = functional.conv_tbc(x, weight, bias, 1)
    expected = functional.conv1d(x.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=1)
    wg.testing.assert_close(made.permute(1, 2, 0), expected)
    assert made.shape == (6, 2, 4) and made.is_contiguous()


def test_an_input_of_another_dtype_is_refused_by_that_of_the_bias_first():
    with pytest.raises(RuntimeError, match=r"^Input type \(double\) and bias type \(float\) should be the same$"):
        wg.nn.Conv2d(1, 1, 2)(wg.ones(1, 1, 3, 3, dtype=wg.float64))


@pytest.mark.parametrize("kind", [nn.Conv3d, nn.ConvTranspose3d])
@pytest.mark.parametrize("dtype", [wg.float32, wg.float64])
def test_volumes_keep_channels_innermost_but_in_double_precision(kind, dtype):
    layer = kind(4, 4, 2, dtype=dtype)
    x = wg.ones(2, 4, 3, 4, 5, dtype=dtype).contiguous(memory_format=wg.channels_last_3d).requires_grad_()
    made = layer(x)
    grads = wg.autograd.grad(made, (x, layer.weight), wg.ones_like(made))
    assert {each.stride(1) == 1 for each in (made, *grads)} == {dtype is wg.float32}


@pytest.mark.parametrize("padding", [0, 1])
def test_gradients_of_transposed_layers_keep_channels_innermost(padding):
    layer = nn.ConvTranspose2d(4, 4, 2, stride=2, output_padding=padding)
    x = wg.ones(2, 4, 3, 4).contiguous(memory_format=wg.channels_last).requires_grad_()
    made = layer(x)
    (grad,) = wg.autograd.grad(made.sum(), x)
    assert grad.stride(1) == 1
