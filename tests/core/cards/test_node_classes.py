"""The names of nodes where torch has one for a form of an operator."""

from __future__ import annotations

import itertools

import pytest

import wengert as wg
from wengert._core.cards.card import REGISTRY
from wengert._core.cards.node_classes import numbers

F = wg.nn.functional


def name(tensor):
    """The name of the node of a result."""
    return tensor.grad_fn.name()


def leaf():
    """Two numbers that require a gradient."""
    return wg.tensor([0.25, 0.5], requires_grad=True)


@pytest.mark.parametrize(
    ("call", "title"),
    [
        (F.leaky_relu, "LeakyReluBackward"),
        (F.elu, "EluBackward"),
        (F.selu, "EluBackward"),
        (F.celu, "CeluBackward"),
        (lambda x, inplace=False: F.threshold(x, 0.3, 1.0, inplace=inplace), "ThresholdBackward"),
        (lambda x, inplace=False: F.rrelu(x, training=True, inplace=inplace), "RreluWithNoiseBackward"),
    ],
)
def test_an_activation_in_place_has_a_node_of_its_own(call, title):
    x = leaf()
    assert name(call(x)) == f"{title}0"
    assert name(call(x.clone(), inplace=True)) == f"{title}1"


@pytest.mark.parametrize("title", ["acosh", "asinh", "atanh"])
def test_an_inverse_hyperbolic_function_in_place_has_a_node_of_its_own(title):
    x = leaf()
    written = getattr(x.clone(), f"{title}_")()
    assert name(written) == f"{title.capitalize()}Backward1"
    assert name(getattr(x, title)()) == f"{title.capitalize()}Backward0"


def test_what_a_node_of_an_in_place_form_saved_is_seen():
    x = leaf()
    y = F.leaky_relu(x.clone(), 0.5, inplace=True)
    assert y.grad_fn._saved_negative_slope == 0.5
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("call", "title"),
    [
        (lambda x: wg.fill(x, 1), "FillBackward0"),
        (lambda x: wg.fill(x, wg.tensor(1.0)), "FillBackward1"),
        (lambda x: x.clone().fill_(1), "FillBackward2"),
        (lambda x: x.clone().fill_(wg.tensor(1.0)), "FillBackward3"),
        (lambda x: wg.round(x), "RoundBackward0"),
        (lambda x: wg.round(x, decimals=0), "RoundBackward1"),
        (lambda x: x.clone().round_(decimals=0), "RoundBackward1"),
        (lambda x: x.clone().copy_(x), "torch::autograd::CopyBackwards"),
        (lambda x: wg.trapz(x), "MulBackward1"),
        (lambda x: wg.trapezoid(x, wg.tensor([0.0, 1.0])), "DivBackward1"),
        (lambda x: wg.cumulative_trapezoid(x, wg.tensor([0.0, 1.0])), "DivBackward1"),
        (lambda x: wg.special.ndtr(x), "MulBackward1"),
        (lambda x: F.cross_entropy(x, wg.tensor([0.5, 0.5])), "DivBackward1"),
        (lambda x: x * 2, "MulBackward0"),
        (lambda x: x / 2, "DivBackward0"),
        (lambda x: wg.inner(x, x), "ViewBackward0"),
        (lambda x: x.clone().conj_physical_(), "ConjPhysicalBackward1"),
    ],
)
def test_a_form_has_the_name_that_torch_gives_it(call, title):
    x = leaf()
    made = call(x)
    assert name(made) == title
    assert type(made.grad_fn).__name__ == title.rpartition(":")[2]
    made.sum().backward()
    assert x.grad is not None


def test_the_physical_conjugate_of_real_numbers_are_these():
    x = leaf()
    assert wg.conj_physical(x) is x


@pytest.mark.parametrize("title", ["eq", "ne", "lt", "le", "gt", "ge", "rsub", "clamp_min", "clamp_max", "clamp"])
def test_a_number_is_no_first_operand(title):
    with pytest.raises(TypeError, match=rf"{title}\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        getattr(wg, title)(2, wg.ones(3))


def test_a_number_is_divided_by_a_tensor():
    assert wg.div(2, wg.tensor([4.0])).tolist() == [0.5]
    assert (wg.ones(2) < 2).tolist() == [True, True]


def test_nodes_show_what_they_saved_as_torchs_do():
    x = wg.ones(2, 3, requires_grad=True)
    assert x.sum(1).grad_fn._saved_dim == x.mean(1).grad_fn._saved_dim == x.amax(1).grad_fn._saved_dim == (1,)
    assert x.mean().grad_fn._saved_self_sym_numel == 6 and x.mean(0).grad_fn._saved_self_sym_numel == 6
    assert x.sum((0, 1)).grad_fn._saved_dim == (0, 1) and x.softmax(1).grad_fn._saved_dim == 1
    for reduction, number in (("none", 0), ("mean", 1), ("sum", 2)):
        node = F.mse_loss(x, wg.zeros(2, 3), reduction=reduction).grad_fn
        assert node._saved_reduction == number
    for made in (
        F.layer_norm(x, (3,)),
        F.group_norm(x, 3),
        F.batch_norm(x, None, None, training=True),
    ):
        assert made.grad_fn._saved_result1.numel() in (2, 3, 6)
        assert made.grad_fn._raw_saved_result2.data.numel() == made.grad_fn._saved_result1.numel()


def test_nodes_show_integers_below_zero_as_torchs_do():
    x = wg.ones(4, 4, requires_grad=True)
    last = 2**64 - 1
    assert x.sum(-1).grad_fn._saved_dim == (last,) and x.softmax(-1).grad_fn._saved_dim == last
    assert x.select(-1, -2).grad_fn._saved_index == last - 1 and x.tril(-1).grad_fn._saved_diagonal == last
    assert (x**-1).grad_fn._saved_exponent == -1
    cut = x[-3:].grad_fn
    assert (cut._saved_start, cut._saved_end, x[:2].grad_fn._saved_start) == (last - 2, 2**63 - 1, 0)


def test_nodes_show_how_variances_are_corrected():
    x = wg.ones(4, 4, requires_grad=True)
    shown = [
        (made.grad_fn._saved_correction, made.grad_fn._saved_dim)
        for made in (x.var(), x.var(True), x.var(0), x.std(unbiased=False), x.var(1, correction=2))
    ]
    assert shown == [(None, None), (1, None), (1, (0,)), (0, None), (2, (1,))]


def test_nodes_show_what_torchs_have_beside_what_is_saved_here():
    x, image = wg.ones(3, 3, requires_grad=True), wg.ones(1, 2, 4, 4, requires_grad=True)
    convolution, plain = wg.nn.Conv2d(2, 3, 3)(image).grad_fn, wg.nn.Conv2d(2, 3, 3, bias=False)(image).grad_fn
    assert convolution._saved_bias_sym_sizes_opt == (3,) and plain._saved_bias_sym_sizes_opt == (0,)
    assert convolution._saved_output_padding == (0, 0)
    product = wg.addbmm(x, x.expand(2, 3, 3), x.expand(2, 3, 3)).grad_fn
    assert (product._saved_batch1_sym_argsize_0, product._saved_batch2_sym_argsize_2) == (2, 3)
    columns = F.unfold(image, 2).grad_fn
    assert (columns._saved_self_sym_argsize_minus_1, columns._saved_kernel_size) == (4, (2, 2))
    assert x.expand(2, 3, 3).grad_fn._saved_self_sym_sizes == (3, 3) and x[:1].squeeze(0).grad_fn._saved_dim == 0
    assert x.as_strided((2,), (1,), 3).grad_fn._saved_storage_offset == 3
    assert F.embedding(wg.tensor([1]), x).grad_fn._saved_weight_sym_argsize_0 == 3
    assert wg.div(x, 2, rounding_mode="floor").grad_fn._saved_rounding_mode == "floor"
    assert F.group_norm(image, 2).grad_fn._saved_HxW == 16
    scaled = F.interpolate(image, scale_factor=(2, 0.5), mode="bilinear").grad_fn
    assert (scaled._saved_scales_h, scaled._saved_scales_w) == (2, 0.5)
    sampled = F.grid_sample(image, wg.zeros(1, 1, 1, 2), "nearest", "border", align_corners=False).grad_fn
    assert (sampled._saved_interpolation_mode, sampled._saved_padding_mode) == (1, 1)
    assert F.pad(image, (1, 1, 0, 0), mode="reflect").grad_fn._saved_padding == (1, 1, 0, 0)


def test_a_filled_diagonal_is_a_write_to_a_part():
    filled = (wg.ones(3, 3, requires_grad=True) * 2).fill_diagonal_(5)
    assert filled.grad_fn.name() == "torch::autograd::CopySlices"


def test_the_class_of_a_node_is_shown_by_its_name_alone():
    node = (wg.ones(2, requires_grad=True) * 2).grad_fn
    assert repr(type(node)) == "<class 'MulBackward0'>"
    with pytest.raises(AttributeError, match=r"^'MulBackward0' object has no attribute 'foo'"):
        node.foo  # noqa: B018


@pytest.mark.parametrize(
    ("function", "fields"),
    [
        (lambda x: x**2, ["exponent", "self"]),
        (lambda x: x.sum(), ["self_sym_sizes"]),
        (lambda x: x.mean(), ["self_sym_numel", "self_sym_sizes"]),
        (lambda x: wg.nn.functional.mse_loss(x, x.detach()), ["reduction", "self", "target"]),
    ],
)
def test_nodes_show_what_those_of_torch_show(function, fields):
    node = function(wg.ones(2, requires_grad=True)).grad_fn
    assert [name.removeprefix("_saved_") for name in dir(node) if name.startswith("_saved_")] == fields


def operands(op):
    """All combinations of tensors and numbers where a tensor may be differentiated, but for numbers alone."""
    length = max(op.grad_slots) + 1
    for kinds in itertools.product((True, False), repeat=len(op.grad_slots)):
        args = [None] * length
        for slot, is_tensor in zip(op.grad_slots, kinds, strict=True):
            args[slot] = leaf() if is_tensor else 2.0
        if any(kinds):
            yield tuple(args)


MIXED = [
    "pow",
    "floor_divide",
    "remainder",
    "fmod",
    "clamp",
    "copysign",
    "xlogy",
    "special_zeta",
    "lerp",
    "masked_fill",
]


@pytest.mark.parametrize("name", MIXED)
def test_the_edges_of_a_class_of_nodes_do_not_depend_on_the_call_that_makes_it(name):
    op = REGISTRY[name]
    edges = {}
    for args in operands(op):
        edges.setdefault(op.choose_node(args), set()).add(numbers(op, args))
    assert len(edges) > 1
    assert all(len(each) == 1 for each in edges.values()), edges


def test_a_remainder_of_a_number_by_a_tensor_has_the_edge_of_the_tensor_alone():
    x = leaf()
    assert len((x % x).grad_fn.next_functions) == 2
    assert len((2 % x).grad_fn.next_functions) == 1
    assert name(2 % x) == name(x % x) == "RemainderBackward1"
