"""Layers print as in torch, know their weights, and compute what torch computes."""

from __future__ import annotations

import math

import pytest

import wengert as wg
from wengert import nn

# What torch 2.13 prints.
PRINTED = [
    ("Linear(2, 3, bias=False)", "Linear(in_features=2, out_features=3, bias=False)"),
    ("Identity(3, a=4)", "Identity()"),
    ("Bilinear(2, 3, 4)", "Bilinear(in1_features=2, in2_features=3, out_features=4, bias=True)"),
    ("Conv2d(3, 4, 3)", "Conv2d(3, 4, kernel_size=(3, 3), stride=(1, 1))"),
    (
        "Conv2d(4, 8, (3, 5), stride=2, padding=1, dilation=(2, 1), groups=4, bias=False)",
        "Conv2d(4, 8, kernel_size=(3, 5), stride=(2, 2), padding=(1, 1), dilation=(2, 1), groups=4, bias=False)",
    ),
    ("Conv1d(2, 3, 3, padding='same')", "Conv1d(2, 3, kernel_size=(3,), stride=(1,), padding=same)"),
    (
        "Conv2d(1, 2, 3, padding_mode='circular')",
        "Conv2d(1, 2, kernel_size=(3, 3), stride=(1, 1), padding_mode=circular)",
    ),
    ("BatchNorm1d(3)", "BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)"),
    (
        "BatchNorm2d(3, affine=False, track_running_stats=False, momentum=None)",
        "BatchNorm2d(3, eps=1e-05, momentum=None, affine=False, bias=False, track_running_stats=False)",
    ),
    (
        "InstanceNorm2d(3)",
        "InstanceNorm2d(3, eps=1e-05, momentum=0.1, affine=False, bias=False, track_running_stats=False)",
    ),
    ("LayerNorm((3, 4), bias=False)", "LayerNorm((3, 4), eps=1e-05, elementwise_affine=True, bias=False)"),
    ("LayerNorm(3, elementwise_affine=False)", "LayerNorm((3,), eps=1e-05, elementwise_affine=False, bias=False)"),
    ("GroupNorm(2, 4)", "GroupNorm(2, 4, eps=1e-05, affine=True, bias=True)"),
    ("RMSNorm(3)", "RMSNorm((3,), eps=None, elementwise_affine=True)"),
    ("Embedding(3, 4)", "Embedding(3, 4)"),
    ("Embedding(3, 4, padding_idx=-1, max_norm=2.0)", "Embedding(3, 4, padding_idx=2, max_norm=2.0)"),
    ("Dropout()", "Dropout(p=0.5, inplace=False)"),
    ("Dropout(0.2, True)", "Dropout(p=0.2, inplace=True)"),
    ("Flatten()", "Flatten(start_dim=1, end_dim=-1)"),
    ("Unflatten(1, (2, 3))", "Unflatten(dim=1, unflattened_size=(2, 3))"),
    ("ReLU()", "ReLU()"),
    ("ReLU(True)", "ReLU(inplace=True)"),
    ("LeakyReLU(0.2, True)", "LeakyReLU(negative_slope=0.2, inplace=True)"),
    ("ELU()", "ELU(alpha=1.0)"),
    ("GELU('tanh')", "GELU(approximate='tanh')"),
    ("SiLU()", "SiLU()"),
    ("Sigmoid()", "Sigmoid()"),
    ("Tanh()", "Tanh()"),
    ("Softmax(1)", "Softmax(dim=1)"),
    ("LogSoftmax(-1)", "LogSoftmax(dim=-1)"),
    ("Softplus()", "Softplus(beta=1.0, threshold=20.0)"),
    ("ReLU6()", "ReLU6()"),
    ("SELU()", "SELU()"),
    ("CELU()", "CELU(alpha=1.0)"),
    ("Mish()", "Mish()"),
    ("Hardtanh()", "Hardtanh(min_val=-1.0, max_val=1.0)"),
    ("Hardswish()", "Hardswish()"),
    ("Hardsigmoid()", "Hardsigmoid()"),
    ("Threshold(1, 2)", "Threshold(threshold=1, value=2)"),
    ("Softshrink()", "Softshrink(0.5)"),
    ("PReLU()", "PReLU(num_parameters=1)"),
    ("Softmin(1)", "Softmin(dim=1)"),
    ("MaxPool2d(2)", "MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"),
    (
        "MaxPool2d((2, 3), 1, 1, 1, False, True)",
        "MaxPool2d(kernel_size=(2, 3), stride=1, padding=1, dilation=1, ceil_mode=True)",
    ),
    ("AvgPool2d(2, 1, 1)", "AvgPool2d(kernel_size=2, stride=1, padding=1)"),
    ("MaxPool1d(2)", "MaxPool1d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)"),
    ("AvgPool1d(2)", "AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))"),
    ("AdaptiveAvgPool2d((1, None))", "AdaptiveAvgPool2d(output_size=(1, None))"),
    ("AdaptiveMaxPool2d(3)", "AdaptiveMaxPool2d(output_size=3)"),
    ("CrossEntropyLoss()", "CrossEntropyLoss()"),
    ("NLLLoss()", "NLLLoss()"),
    ("MSELoss()", "MSELoss()"),
    ("BCEWithLogitsLoss()", "BCEWithLogitsLoss()"),
]


@pytest.mark.parametrize(("source", "printed"), PRINTED, ids=[source for source, _ in PRINTED])
def test_a_layer_prints_as_in_torch(source, printed):
    assert repr(eval(f"nn.{source}", {"nn": nn})) == printed


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError, "in_channels must be divisible by groups"),
        (lambda: nn.Conv2d(4, 3, 3, groups=2), ValueError, "out_channels must be divisible by groups"),
        (lambda: nn.Conv2d(4, 3, 3, groups=0), ValueError, "groups must be a positive integer"),
        (lambda: nn.Conv2d(3, 4, 3, padding="x"), ValueError, "Invalid padding string 'x'"),
        (lambda: nn.Conv2d(3, 4, 3, 2, "same"), ValueError, "padding='same' is not supported for strided convolutions"),
        (lambda: nn.Conv2d(3, 4, 3, padding_mode="x"), ValueError, "padding_mode must be one of"),
        (lambda: nn.Dropout(2), ValueError, "dropout probability has to be between 0 and 1, but got 2"),
        (lambda: nn.BatchNorm2d(3)(wg.ones(2, 3)), ValueError, r"expected 4D input \(got 2D input\)"),
        (lambda: nn.BatchNorm1d(3)(wg.ones(2, 3, 1, 1)), ValueError, r"expected 2D or 3D input \(got 4D input\)"),
        (lambda: nn.BatchNorm1d(3)(wg.ones(1, 3)), ValueError, "Expected more than 1 value per channel when training"),
        (lambda: nn.GroupNorm(3, 4), ValueError, r"num_channels \(4\) must be divisible by num_groups \(3\)"),
        (lambda: nn.Embedding(3, 4, padding_idx=5), AssertionError, "Padding_idx must be within num_embeddings"),
        (lambda: nn.Bilinear(0, 1, 1), ValueError, "in1_features must be > 0"),
        (lambda: nn.Unflatten(1, (2.0,)), TypeError, "unflattened_size must be tuple of ints"),
        (lambda: nn.Linear(2, 3)(wg.ones(4, 5)), RuntimeError, "shapes cannot be multiplied"),
    ],
)
def test_bad_options_and_inputs_are_refused(make, error, says):
    with pytest.raises(error, match=says):
        make()


def filled(module):
    """The module in double precision with the weights 1/1, 1/2, 1/3, ..."""
    module.double()
    with wg.no_grad():
        for parameter in module.parameters():
            count = parameter.numel()
            parameter.copy_((1 / wg.arange(1, count + 1, dtype=wg.float64)).reshape(parameter.shape))
    return module


def ramp(*shape):
    """-1, -0.9, -0.8, ... in the given shape."""
    return (wg.arange(math.prod(shape), dtype=wg.float64) / 10 - 1).reshape(shape)


# For each layer the sum of the squares of its result, and of the gradient of that by the input; from torch 2.13.
COMPUTED = [
    ("Linear(3, 2)", (4, 3), 1.9140388888888886, 10.626805327160492),
    ("Conv2d(2, 3, 3, stride=2, padding=1)", (2, 2, 4, 5), 673.5453501599967, 5128.232095162814),
    ("Conv2d(2, 2, 3, padding='same', padding_mode='reflect')", (1, 2, 4, 5), 111.06621420999656, 3573.7185925934364),
    ("Conv2d(4, 4, 2, groups=2, dilation=2)", (1, 4, 4, 4), 25.897045542715066, 34.83120504878034),
    ("Conv1d(2, 3, 3, padding=1)", (2, 2, 4), 8.486171189807958, 85.24874452517271),
    ("BatchNorm1d(3)", (4, 3), 10.888404981285614, 1.2074082006975394e-06),
    ("BatchNorm2d(2)", (3, 2, 2, 2), 29.99965845179996, 6.02063796457132e-08),
    ("InstanceNorm2d(2)", (1, 2, 2, 3), 11.99588712441449, 0.00019319031058472576),
    ("LayerNorm(4)", (3, 4), 2.303998917552044, 66.92896872087528),
    ("GroupNorm(2, 4)", (2, 4, 3), 8.664710203490948, 106.18576758346512),
    ("RMSNorm(4)", (3, 4), 6.723437307739586, 188.1420231832314),
    ("ReLU()", (4, 5), 2.8499999999999996, 11.399999999999999),
    ("LeakyReLU(0.1)", (4, 5), 2.8885, 11.40154),
    ("ELU()", (4, 5), 4.734568500885713, 13.277671325724757),
    ("GELU()", (4, 5), 1.8491907909514391, 6.433734927464668),
    ("GELU('tanh')", (4, 5), 1.8489617097835587, 6.428575262195611),
    ("SiLU()", (4, 5), 1.6704346722688017, 3.6316194425298836),
    ("Softplus()", (4, 5), 11.663740966632256, 16.658292388296115),
    ("SELU()", (4, 5), 8.97135963937976, 31.832604835487793),
    ("Mish()", (4, 5), 2.3507908860756963, 7.052135524973273),
    ("Hardtanh()", (4, 5), 6.700000000000001, 22.800000000000004),
    ("Softsign()", (4, 5), 2.2782464222794077, 1.3319081328177271),
    ("PReLU()", (4, 5), 6.700000000000001, 26.800000000000004),
    ("Softmax(1)", (4, 5), 0.8159178147973322, 0.0025871171175911776),
    ("LogSoftmax(1)", (4, 5), 52.85018509308216, 10.934271056499863),
    ("MaxPool2d(2)", (1, 2, 4, 5), 21.6, 86.4),
    ("AvgPool2d(3, 2, 1)", (1, 2, 4, 5), 11.294567901234569, 7.698314281359549),
    ("AdaptiveAvgPool2d((2, 3))", (1, 2, 4, 5), 26.009999999999998, 34.620000000000005),
    ("MaxPool1d(2)", (1, 2, 5), 1.5, 6.000000000000001),
    ("Flatten()", (2, 3, 2), 3.86, 15.44),
]


@pytest.mark.parametrize(("source", "shape", "value", "slope"), COMPUTED, ids=[case[0] for case in COMPUTED])
def test_a_layer_computes_what_torch_computes(source, shape, value, slope):
    module = filled(eval(f"nn.{source}", {"nn": nn}))
    x = ramp(*shape).requires_grad_()
    result = (module(x) ** 2).sum()
    result.backward()
    assert result.item() == pytest.approx(value, rel=1e-9)
    assert (x.grad**2).sum().item() == pytest.approx(slope, rel=1e-9, abs=1e-12)


def test_batch_norm_tracks_statistics_in_training_only():
    norm = nn.BatchNorm1d(1).double()
    norm(wg.tensor([[1.0], [3.0]], dtype=wg.float64))
    assert norm.running_mean.tolist() == pytest.approx([0.2])
    assert norm.running_var.tolist() == pytest.approx([1.1])
    assert norm.num_batches_tracked.item() == 1
    norm.eval()
    norm(wg.tensor([[9.0], [3.0]], dtype=wg.float64))
    assert norm.running_mean.tolist() == pytest.approx([0.2])
    norm.reset_running_stats()
    assert norm.running_mean.tolist() == [0.0]
    averaging = nn.BatchNorm1d(1, momentum=None).double()
    for value in (1.0, 2.0, 6.0):
        averaging(wg.full((2, 1), value, dtype=wg.float64))
    assert averaging.running_mean.tolist() == pytest.approx([3.0])


def test_dropout_drops_in_training_only_and_keeps_the_mean():
    x = wg.ones(100, 100)
    layer = nn.Dropout(0.25)
    thinned = layer(x)
    assert sorted(set(thinned.flatten().tolist())) == pytest.approx([0.0, 4 / 3])
    assert thinned.mean().item() == pytest.approx(1, abs=0.05)
    assert layer.eval()(x).tolist() == x.tolist()
    whole = nn.Dropout2d()(wg.ones(8, 8, 3, 3)).reshape(64, 9)
    assert all(len(set(row)) == 1 for row in whole.tolist())


def test_an_embedding_gives_no_gradient_to_its_padding():
    table = nn.Embedding(4, 2, padding_idx=1)
    assert table.weight[1].tolist() == [0.0, 0.0]
    table(wg.tensor([[0, 1], [1, 3]])).sum().backward()
    assert table.weight.grad.tolist() == [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [1.0, 1.0]]
    frozen = nn.Embedding.from_pretrained(wg.ones(3, 2))
    assert not frozen.weight.requires_grad
    assert frozen(wg.tensor(2)).tolist() == [1.0, 1.0]


def test_an_embedding_takes_a_table_and_draws_nothing():
    table, before = wg.ones(3, 2), wg.get_rng_state()
    layer = nn.Embedding(3, 2, _weight=table, _freeze=True)
    assert layer.weight.data_ptr() == table.data_ptr() and not layer.weight.requires_grad
    free = nn.Embedding.from_pretrained(table, freeze=False, max_norm=1.0, scale_grad_by_freq=True)
    assert repr(free) == "Embedding(3, 2, max_norm=1.0, scale_grad_by_freq=True)" and free.weight.requires_grad
    assert wg.equal(wg.get_rng_state(), before)
    with pytest.raises(AssertionError, match="Shape of weight does not match num_embeddings and embedding_dim"):
        nn.Embedding(2, 2, _weight=table)


def test_layers_in_place_write_into_their_input():
    x = wg.tensor([-1.0, 2.0])
    assert nn.ReLU(inplace=True)(x) is x
    assert x.tolist() == [0.0, 2.0]


def test_a_softmax_without_a_dimension_warns():
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax has been deprecated"):
        assert nn.Softmax()(wg.zeros(1, 2)).tolist() == [[0.5, 0.5]]


def test_fresh_linear_and_convolution_weights_lie_within_the_bound_of_their_fan_in():
    for layer, fan_in in ((nn.Linear(16, 500), 16), (nn.Conv2d(4, 100, 3), 36)):
        bound = 1 / math.sqrt(fan_in)
        for values in (layer.weight, layer.bias):
            assert values.abs().max().item() <= bound
            assert values.abs().max().item() > 0.9 * bound


def test_losses_keep_their_weights_as_buffers_and_reduce_as_told():
    loss = nn.NLLLoss(wg.tensor([1.0, 3.0]), reduction="none")
    assert list(loss.state_dict()) == ["weight"]
    assert loss(wg.tensor([[-1.0, -2.0], [-1.0, -2.0]]), wg.tensor([0, 1])).tolist() == [1.0, 6.0]
    assert nn.MSELoss(reduction="sum")(wg.zeros(2), wg.tensor([1.0, 2.0])).item() == 5
    assert nn.L1Loss()(wg.zeros(2), wg.tensor([1.0, -2.0])).item() == 1.5
    assert nn.CrossEntropyLoss()(wg.zeros(3, 4), wg.tensor([0, 1, 2])).item() == pytest.approx(math.log(4))
    assert nn.BCEWithLogitsLoss()(wg.zeros(2), wg.ones(2)).item() == pytest.approx(math.log(2))
    assert nn.BCELoss()(wg.full((2,), 0.5), wg.ones(2)).item() == pytest.approx(math.log(2))
    with pytest.raises(ValueError, match="x is not a valid value for reduction"):
        nn.CrossEntropyLoss(reduction="x")(wg.ones(2, 2), wg.tensor([0, 1]))


def test_threshold_writes_in_place_also_where_elements_share_memory():
    x = wg.tensor([-1.0, 0.5, 2.0])
    assert nn.functional.threshold(x, 1.0, 9.0, inplace=True) is x
    assert x.tolist() == [9.0, 9.0, 2.0]
    one = wg.zeros(1)
    assert nn.functional.threshold(one.expand(3), 1.0, 9.0, inplace=True).tolist() == [9.0] * 3
    assert one.tolist() == [9.0]
    integers = wg.tensor([-2, -1, 0])
    assert nn.functional.threshold(integers, -1.5, 7).tolist() == [7, 7, 0], "the bound is an integer, too, as in torch"
    with pytest.raises(RuntimeError, match="value cannot be converted to type int8_t without overflow"):
        nn.functional.threshold(integers.to(wg.int8), 0, 300, inplace=True)


def test_a_table_is_given_and_frozen():
    table = wg.eye(3)
    layer = nn.Embedding(3, 3, _weight=table, _freeze=True)
    assert layer.weight.data_ptr() == table.data_ptr() and not layer.weight.requires_grad
    with pytest.raises(AssertionError, match="Shape of weight does not match"):
        nn.Embedding(2, 3, _weight=table)
    rare = nn.Embedding.from_pretrained(table, padding_idx=-1, max_norm=0.5, scale_grad_by_freq=True)
    assert rare.padding_idx == 2 and rare(wg.tensor(0)).norm().item() == pytest.approx(0.5)


def test_limits_have_older_names():
    with pytest.warns(FutureWarning, match="renamed to `min_val`"):
        layer = nn.Hardtanh(min_value=0.0)
    assert (layer.min_val, layer.max_val) == (0.0, 1.0)
    with pytest.raises(AssertionError, match=r"max_val \(0\) must be greater than min_val \(1\)"):
        nn.Hardtanh(1, 0)


def test_options_of_factories_are_read():
    assert nn.factory_kwargs({"dtype": wg.float64, "factory_kwargs": {"device": "cpu"}}) == {
        "dtype": wg.float64,
        "device": "cpu",
    }
    assert nn.factory_kwargs(None) == {}
    with pytest.raises(TypeError, match="unexpected kwargs"):
        nn.factory_kwargs({"bias": True})
    with pytest.raises(TypeError, match="dtype specified twice"):
        nn.factory_kwargs({"dtype": wg.float64, "factory_kwargs": {"dtype": wg.float32}})


def test_a_learned_slope_starts_anew():
    layer = nn.PReLU(2, init=0.5)
    layer.weight.data.zero_()
    layer.reset_parameters()
    assert layer.weight.tolist() == [0.5, 0.5]


def test_masks_of_layers_are_read_as_torchs_layers_read_them():
    functional = wg.nn.functional
    with pytest.warns(UserWarning, match="Support for mismatched a and b is deprecated"):
        made = functional._canonical_mask(wg.tensor([True, False]), "a", wg.float32, "b", wg.float32)
    assert made.tolist() == [-float("inf"), 0]
    assert functional._canonical_mask(None, "a", wg.float32, "b", wg.float32) is None
    assert functional._none_or_dtype(None) is None
    assert functional._none_or_dtype(made) is wg.float32
    with pytest.raises(RuntimeError, match=r"must be None or torch\.Tensor"):
        functional._none_or_dtype(1)
