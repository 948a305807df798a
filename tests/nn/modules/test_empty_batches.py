"""Modules on a batch, or a sequence, without members: the results of a batch with members, cut to none."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import wengert as wg
from wengert import nn
from wengert.nn import functional as F

N = 3
"""Members of the full batch."""

Case = tuple[Callable[[], Any], tuple[Any, ...]]


def real(*shape: int) -> wg.Tensor:
    return wg.rand(shape, generator=wg.Generator().manual_seed(0)) * 0.8 + 0.1


def places(*shape: int, below: int = 2) -> wg.Tensor:
    return wg.randint(below, shape, generator=wg.Generator().manual_seed(0))


def by_dimension(count: int) -> dict[str, Case]:
    """Modules that exist for signals, planes and volumes."""
    image, d = real(N, 4, *(8,) * count), f"{count}d"
    cases: dict[str, Case] = {
        f"Conv{d}": (lambda: getattr(nn, f"Conv{d}")(4, 6, 3, padding=1), (image,)),
        f"Conv{d} groups": (lambda: getattr(nn, f"Conv{d}")(4, 4, 3, stride=2, groups=4), (image,)),
        f"Conv{d} same": (
            lambda: getattr(nn, f"Conv{d}")(4, 4, 3, padding="same", padding_mode="circular"),
            (image,),
        ),
        f"ConvTranspose{d}": (lambda: getattr(nn, f"ConvTranspose{d}")(4, 6, 3, stride=2, output_padding=1), (image,)),
        f"MaxPool{d}": (lambda: getattr(nn, f"MaxPool{d}")(3, 2, 1, return_indices=True), (image,)),
        f"MaxUnpool{d}": (lambda: getattr(nn, f"MaxUnpool{d}")(2), (real(N, 4, *(2,) * count), unpooled(count))),
        f"AvgPool{d}": (lambda: getattr(nn, f"AvgPool{d}")(2), (image,)),
        f"LPPool{d}": (lambda: getattr(nn, f"LPPool{d}")(2, 2), (image,)),
        f"AdaptiveMaxPool{d}": (lambda: getattr(nn, f"AdaptiveMaxPool{d}")(2, return_indices=True), (image,)),
        f"AdaptiveAvgPool{d}": (lambda: getattr(nn, f"AdaptiveAvgPool{d}")(2), (image,)),
        f"BatchNorm{d}": (lambda: getattr(nn, f"BatchNorm{d}")(4), (image,)),
        f"BatchNorm{d} eval": (lambda: getattr(nn, f"BatchNorm{d}")(4).eval(), (image,)),
        f"InstanceNorm{d}": (lambda: getattr(nn, f"InstanceNorm{d}")(4, affine=True), (image,)),
        f"ConstantPad{d}": (lambda: getattr(nn, f"ConstantPad{d}")(1, 2.0), (image,)),
        f"Dropout{d}": (lambda: getattr(nn, f"Dropout{d}")(), (image,)),
        f"LazyConv{d}": (lambda: getattr(nn, f"LazyConv{d}")(6, 3), (image,)),
        f"LazyConvTranspose{d}": (lambda: getattr(nn, f"LazyConvTranspose{d}")(6, 3), (image,)),
        f"LazyBatchNorm{d}": (lambda: getattr(nn, f"LazyBatchNorm{d}")(), (image,)),
        f"LazyInstanceNorm{d}": (lambda: getattr(nn, f"LazyInstanceNorm{d}")(), (image,)),
    }
    for pad in ("Reflection", "Replication", "Zero", "Circular"):
        cases[f"{pad}Pad{d}"] = ((lambda pad=pad: getattr(nn, f"{pad}Pad{d}")(1)), (image,))
    for mode in ("nearest", "nearest-exact", "area", ("linear", "bilinear", "trilinear")[count - 1]):
        cases[f"Upsample {mode} {d}"] = ((lambda mode=mode: nn.Upsample(scale_factor=2, mode=mode)), (image,))
    if count > 1:
        pool = f"FractionalMaxPool{d}"
        cases[pool] = (lambda: getattr(nn, pool)(2, output_size=3), (image,))
    return cases


def unpooled(count: int) -> wg.Tensor:
    """Places in planes of length 4, one for each window of length 2."""
    windows = wg.arange(4**count).view((4,) * count)[(slice(None, None, 2),) * count]
    return windows.expand(N, 4, *windows.shape).clone()


def pointwise() -> dict[str, Case]:
    names = [
        "AlphaDropout",
        "CELU",
        "Dropout",
        "ELU",
        "FeatureAlphaDropout",
        "GELU",
        "Hardshrink",
        "Hardsigmoid",
        "Hardswish",
        "Hardtanh",
        "Identity",
        "LeakyReLU",
        "LogSigmoid",
        "Mish",
        "PReLU",
        "RReLU",
        "ReLU",
        "ReLU6",
        "SELU",
        "SiLU",
        "Sigmoid",
        "Softplus",
        "Softshrink",
        "Softsign",
        "Tanh",
        "Tanhshrink",
        "Flatten",
    ]
    cases: dict[str, Case] = {name: (getattr(nn, name), (real(N, 4, 5),)) for name in names}
    for name in ("Softmax", "LogSoftmax", "Softmin"):
        cases[name] = ((lambda name=name: getattr(nn, name)(dim=1)), (real(N, 4),))
    return cases


def layers() -> dict[str, Case]:
    image, rows = real(N, 4, 4, 4), real(N, 4)
    return {
        "Threshold": (lambda: nn.Threshold(0.1, 1.0), (rows,)),
        "GLU": (nn.GLU, (rows,)),
        "Softmax2d": (nn.Softmax2d, (image,)),
        "Linear": (lambda: nn.Linear(4, 5), (rows,)),
        "LazyLinear": (lambda: nn.LazyLinear(5), (rows,)),
        "Bilinear": (lambda: nn.Bilinear(4, 4, 6), (rows, rows)),
        "LayerNorm": (lambda: nn.LayerNorm(4), (rows,)),
        "RMSNorm": (lambda: nn.RMSNorm(4), (rows,)),
        "GroupNorm": (lambda: nn.GroupNorm(2, 4), (image,)),
        "LocalResponseNorm": (lambda: nn.LocalResponseNorm(2), (image,)),
        "CrossMapLRN2d": (lambda: nn.CrossMapLRN2d(2), (image,)),
        "PixelShuffle": (lambda: nn.PixelShuffle(2), (image,)),
        "PixelUnshuffle": (lambda: nn.PixelUnshuffle(2), (image,)),
        "ChannelShuffle": (lambda: nn.ChannelShuffle(2), (image,)),
        "Unfold": (lambda: nn.Unfold(2), (image,)),
        "Fold": (lambda: nn.Fold((4, 4), 2), (real(N, 8, 9),)),
        "Unflatten": (lambda: nn.Unflatten(1, (2, -1)), (rows,)),
        "ZeroPad of planes": (lambda: nn.ZeroPad2d((1, 0, 2, 1)), (image,)),
        "UpsamplingNearest2d": (lambda: nn.UpsamplingNearest2d(scale_factor=2), (image,)),
        "UpsamplingBilinear2d": (lambda: nn.UpsamplingBilinear2d(scale_factor=2), (image,)),
        "Upsample bicubic": (lambda: nn.Upsample(scale_factor=2, mode="bicubic"), (image,)),
        "CosineSimilarity": (nn.CosineSimilarity, (rows, rows)),
        "PairwiseDistance": (nn.PairwiseDistance, (rows, rows)),
        "Embedding": (lambda: nn.Embedding(5, 3, padding_idx=0, max_norm=1.0), (places(N, 2),)),
        **{f"EmbeddingBag {mode}": ((lambda mode=mode: nn.EmbeddingBag(5, 3, mode=mode)), (places(N, 2),))
           for mode in ("sum", "mean", "max")},
        **{f"{cell}Cell": ((lambda cell=cell: getattr(nn, f"{cell}Cell")(4, 3)), (rows,))
           for cell in ("RNN", "LSTM", "GRU")},
        "grid_sample": (lambda: lambda x, at: F.grid_sample(x, at, align_corners=False), (image, real(N, 2, 2, 2))),
        "one_hot": (lambda: lambda x: F.one_hot(x, 3), (places(N, 2),)),
        "normalize": (lambda: F.normalize, (rows,)),
        "gumbel_softmax": (lambda: lambda x: F.gumbel_softmax(x, hard=True), (rows,)),
        "spectral_norm": (lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(4, 5)), (rows,)),
        "weight_norm": (lambda: nn.utils.parametrizations.weight_norm(nn.Linear(4, 5)), (rows,)),
        "AdaptiveLogSoftmaxWithLoss": (
            lambda: nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3, 6], div_value=2.0).log_prob, (rows,)),
    }  # fmt: skip


def losses() -> dict[str, Case]:
    """Losses of each member on its own; those that add up or take means are looked at by their values."""
    rows, signs = real(N, 4), wg.ones(N)
    cases: dict[str, Case] = {}
    for name in [
        "BCELoss",
        "BCEWithLogitsLoss",
        "HuberLoss",
        "KLDivLoss",
        "L1Loss",
        "MSELoss",
        "MultiLabelSoftMarginLoss",
        "PoissonNLLLoss",
        "SmoothL1Loss",
        "SoftMarginLoss",
        "HingeEmbeddingLoss",
    ]:
        cases[name] = ((lambda name=name, **how: getattr(nn, name)(**how)), (rows, real(N, 4)))
    cases["NLLLoss"] = (nn.NLLLoss, (rows, places(N)))
    cases["NLLLoss of planes"] = (nn.NLLLoss, (real(N, 4, 2, 2), places(N, 2, 2)))
    cases["CrossEntropyLoss"] = (nn.CrossEntropyLoss, (rows, places(N)))
    cases["CrossEntropyLoss of probabilities"] = (nn.CrossEntropyLoss, (rows, real(N, 4)))
    cases["CrossEntropyLoss smoothed"] = (
        lambda **how: nn.CrossEntropyLoss(label_smoothing=0.1, **how), (rows, places(N)))  # fmt: skip
    cases["MultiMarginLoss"] = (nn.MultiMarginLoss, (rows, places(N)))
    cases["MultiLabelMarginLoss"] = (nn.MultiLabelMarginLoss, (rows, places(N, 4)))
    cases["CosineEmbeddingLoss"] = (nn.CosineEmbeddingLoss, (rows, real(N, 4), signs))
    cases["MarginRankingLoss"] = (nn.MarginRankingLoss, (rows[:, 0], rows[:, 1], signs))
    cases["TripletMarginLoss"] = (nn.TripletMarginLoss, (rows, rows + 1, rows - 1))
    cases["TripletMarginWithDistanceLoss"] = (nn.TripletMarginWithDistanceLoss, (rows, rows + 1, rows - 1))
    cases["GaussianNLLLoss"] = (nn.GaussianNLLLoss, (rows, real(N, 4), real(N, 4)))
    return cases


CASES = {**pointwise(), **layers(), **by_dimension(1), **by_dimension(2), **by_dimension(3)}
ELSEWHERE = {
    "CTCLoss", "LinearCrossEntropyLoss", "MultiheadAttention", "SyncBatchNorm", "DataParallel", "RNN", "LSTM", "GRU",
    "Transformer",
}  # fmt: skip
"""Modules that take a batch in a form of their own; most have tests of it below."""
CONTAINERS = {"Container", "Module", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"}


def tensors(result: Any) -> list[wg.Tensor]:
    return [result] if isinstance(result, wg.Tensor) else [each for part in result for each in tensors(part)]


def needing_gradients(args: tuple[Any, ...]) -> list[Any]:
    return [each.detach().clone().requires_grad_(each.is_floating_point()) for each in args]


def check_gradients_of_nothing(results: list[wg.Tensor], leaves: list[Any]) -> None:
    """Every gradient has the shape of its leaf, and is zero."""
    total = sum([each.sum() for each in results if each.requires_grad], start=wg.zeros(()))
    if total.requires_grad:
        total.backward()
    for leaf in leaves:
        if leaf.grad is not None:
            assert leaf.grad.shape == leaf.shape and not leaf.grad.count_nonzero()


@pytest.mark.filterwarnings("ignore:Lazy modules")
@pytest.mark.parametrize("name", CASES)
def test_an_empty_batch_gives_what_a_batch_gives_cut_to_none(name: str) -> None:
    make, args = CASES[name]
    wg.manual_seed(0)
    module = make()
    wanted = [(each.shape[1:], each.dtype) for each in tensors(module(*args))]
    inputs = needing_gradients(tuple(each[:0] for each in args))
    results = tensors(module(*inputs))
    assert [(each.shape[1:], each.dtype) for each in results] == wanted
    assert all(len(each) == 0 for each in results)
    parameters = list(module.parameters()) if isinstance(module, nn.Module) else []
    check_gradients_of_nothing(results, inputs + parameters)


@pytest.mark.filterwarnings("ignore:reduction")
@pytest.mark.parametrize("name", LOSSES := losses())
def test_losses_of_no_member_are_empty_zero_or_not_a_number(name: str) -> None:
    make, args = LOSSES[name]
    shape = make(reduction="none")(*args).shape
    for reduction, wanted in (("none", None), ("sum", 0.0), ("mean", float("nan"))):
        inputs = [*needing_gradients((args[0][:0],)), *(each[:0] for each in args[1:])]
        result = make(reduction=reduction)(*inputs)
        if wanted is None:
            assert result.shape == (0, *shape[1:])
        else:
            assert wg.allclose(result, wg.tensor(wanted), equal_nan=True)
        result.sum().backward()
        assert inputs[0].grad is not None and inputs[0].grad.shape == inputs[0].shape


def test_every_module_is_tried_on_an_empty_batch() -> None:
    tried = {name.partition(" ")[0] for name in (*CASES, *LOSSES)} | ELSEWHERE | CONTAINERS
    classes = {name for name, value in vars(nn).items() if inspect.isclass(value) and issubclass(value, nn.Module)}
    left = {name for name in classes - tried if not name.startswith(("_", "Transformer", "NLLLoss2d"))}
    assert not {name for name in left if name not in ("RNNBase", "RNNCellBase")}


@pytest.mark.parametrize("kind", ["RNN", "LSTM", "GRU"])
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("bidirectional", [False, True])
def test_recurrent_layers_take_no_sequences(kind: str, batch_first: bool, bidirectional: bool) -> None:
    module = getattr(nn, kind)(4, 3, num_layers=2, batch_first=batch_first, bidirectional=bidirectional)
    directions = 2 if bidirectional else 1
    x = real(*((0, 5, 4) if batch_first else (5, 0, 4))).requires_grad_()
    results = tensors(module(x))
    assert results[0].shape == (*x.shape[:2], 3 * directions)
    assert all(each.shape == (2 * directions, 0, 3) for each in results[1:])
    check_gradients_of_nothing(results, [x, *module.parameters()])


SIZES = [(0, 3, 2), (3, 3, 0), (3, 5, 0), (0, 0, 2), (0, 0, 0), (3, 0, 2)]
"""Lengths of queries and of keys, and of the batch."""


@pytest.mark.parametrize("sizes", SIZES)
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("how", ["plain", "bias", "zero", "other widths", "padding", "mask", "mask of heads"])
def test_attention_takes_no_sequences_and_sequences_without_steps(
    sizes: tuple[int, int, int], batch_first: bool, how: str
) -> None:
    steps, sources, batch = sizes
    options = {"bias": {"add_bias_kv": True}, "zero": {"add_zero_attn": True}, "other widths": {"kdim": 6, "vdim": 7}}
    module = nn.MultiheadAttention(8, 2, batch_first=batch_first, **options.get(how, {}))  # type: ignore[arg-type]
    masks: dict[str, Any] = {
        "padding": {"key_padding_mask": wg.zeros(batch, sources, dtype=wg.bool)},
        "mask": {"attn_mask": wg.zeros(steps, sources, dtype=wg.bool)},
        "mask of heads": {"attn_mask": wg.zeros(batch * 2, steps, sources)},
    }
    wide = module.kdim, module.vdim
    order = (
        (lambda length, width: (batch, length, width))
        if batch_first
        else (lambda length, width: (length, batch, width))
    )
    query, key, value = real(*order(steps, 8)), real(*order(sources, wide[0])), real(*order(sources, wide[1]))
    seen = sources + (how in ("bias", "zero"))
    for given, shape in (
        ({"need_weights": True}, (batch, steps, seen)),
        ({"average_attn_weights": False}, (batch, 2, steps, seen)),
        ({"need_weights": False}, None),
    ):
        inputs = needing_gradients((query, key, value))
        result, weights = module(*inputs, **masks.get(how, {}), **given)
        assert result.shape == query.shape
        assert (None if weights is None else tuple(weights.shape)) == shape
        result.sum().backward()
        assert all(each.grad.shape == each.shape for each in inputs)
        if not query.numel():
            assert not any(each.grad.count_nonzero() for each in (*inputs, *module.parameters()))


@pytest.mark.parametrize("shape", [(0, 3, 8), (3, 0, 8), (0, 0, 8), (0, 8)])
@pytest.mark.parametrize("batch_first", [False, True])
@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_transformers_take_no_sequences_and_sequences_without_steps(
    shape: tuple[int, ...], batch_first: bool, norm_first: bool, training: bool
) -> None:
    how: dict[str, Any] = {"dropout": 0.0, "batch_first": batch_first, "norm_first": norm_first}
    encoder, decoder = nn.TransformerEncoderLayer(8, 2, 16, **how), nn.TransformerDecoderLayer(8, 2, 16, **how)
    stacks = [
        encoder,
        nn.TransformerEncoder(encoder, 2, enable_nested_tensor=False),
        lambda x: decoder.train(training)(x, x),
        lambda x: nn.TransformerDecoder(decoder, 2).train(training)(x, x),
    ]
    for module in stacks:
        if isinstance(module, nn.Module):
            module.train(training)
        x = real(*shape).requires_grad_()
        result = module(x)
        assert result.shape == shape
        check_gradients_of_nothing([result], [x])


@pytest.mark.parametrize("mask", [None, wg.float32, wg.bool])
@pytest.mark.parametrize("sizes", [(0, 2, 3, 5, 4), (2, 0, 3, 5, 4), (2, 2, 0, 5, 4), (2, 2, 3, 0, 4), (2, 2, 0, 0, 4)])
def test_attention_of_heads_without_elements(sizes: tuple[int, ...], mask: Any) -> None:
    batch, heads, steps, sources, width = sizes
    query, *others = needing_gradients((real(batch, heads, steps, width), *(real(batch, heads, sources, width),) * 2))
    given = None if mask is None else wg.ones(steps, sources, dtype=mask)
    result = F.scaled_dot_product_attention(query, *others, given)
    assert result.shape == (batch, heads, steps, width) and not result.count_nonzero()
    check_gradients_of_nothing([result], [query, *others])


@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_smoothing_over_no_classes_is_not_a_number(reduction: str) -> None:
    loss = F.cross_entropy(wg.zeros(0, 0), places(0), reduction=reduction, label_smoothing=0.1)
    assert loss.shape == ((0,) if reduction == "none" else ())
    assert reduction == "none" or loss.isnan()


def test_features_of_no_length() -> None:
    assert not F.bilinear(wg.ones(2, 3, 0), wg.ones(2, 3, 5), wg.ones(6, 0, 5)).count_nonzero()
    assert F.bilinear(wg.ones(0, 3, 0), wg.ones(0, 3, 5), wg.ones(6, 0, 5)).shape == (0, 3, 6)
