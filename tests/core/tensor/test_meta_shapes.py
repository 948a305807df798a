"""Results on the device "meta" have shape, dtype and strides of those on the CPU; so have gradients."""

from __future__ import annotations

import copy

import pytest

import wengert as torch
from wengert import nn

F = nn.functional
INDEX = torch.tensor([[0, 1, 1], [1, 0, 0]])


def kinds(values):
    """Shape, dtype and strides of tensors."""
    listed = values if isinstance(values, (tuple, list)) else (values,)
    return [None if each is None else (each.shape, each.dtype, each.stride()) for each in listed]


def same(function, *inputs):
    """A function gives the same kinds of tensors on both devices, and so do its derivatives."""
    found = []
    for device in ("cpu", "meta"):
        given = [each.detach().to(device).requires_grad_(each.is_floating_point()) for each in inputs]
        result = function(*given)
        first = result[0] if isinstance(result, (tuple, list)) else result
        kept = [each for each in given if each.requires_grad]
        grads = torch.autograd.grad(first.sum(), kept, allow_unused=True) if first.requires_grad else ()
        found.append((kinds(result), kinds(grads)))
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x.amax(1),
        lambda x: x.argmax(1, True),
        lambda x: x.std(0),
        lambda x: torch.var_mean(x, 1),
        lambda x: x.norm(),
        lambda x: x.norm(dim=1, keepdim=True),
        lambda x: x.detach().prod(0),
        lambda x: (x > 0).all(1),
        lambda x: x.logsumexp(1),
        lambda x: x.max(1),
        lambda x: x.sort(0),
        lambda x: x.topk(2),
        lambda x: x.cumsum(0),
        lambda x: x.repeat(2, 1, 1),
        lambda x: torch.einsum("ij,kj->ik", x, x),
        lambda x: F.pad(x, (1, 2)),
        lambda x: F.layer_norm(x, (3,)),
        lambda x: F.dropout(x),
        lambda x: F.mse_loss(x, x.detach()),
        lambda x: F.huber_loss(x, x.detach(), reduction="none"),
        lambda x: F.binary_cross_entropy_with_logits(x, x.detach().sigmoid()),
        lambda x: x.split(1)[1],
        lambda x: x.var(),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_functions_of_one_tensor(function, dtype):
    same(function, torch.rand(2, 3, dtype=dtype))


@pytest.mark.parametrize(
    "function",
    [
        lambda x, at: x.gather(1, at),
        lambda x, at: x.index_select(1, at[0]),
        lambda x, at: x[at[:, 0]],
        lambda x, at: x[:, at],
        lambda x, at: x.scatter(1, at, 0.5),
        lambda x, at: x.take(at),
        lambda x, at: F.cross_entropy(x, at[:, 0]),
        lambda x, at: F.nll_loss(x, at[:, 0], reduction="none"),
        lambda x, at: F.embedding(at, x),
    ],
)
def test_functions_of_a_tensor_and_places(function):
    same(function, torch.rand(2, 3), INDEX)


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Conv1d(2, 4, 3, padding=1), (3, 2, 8)),
        (nn.Conv2d(2, 4, 3, stride=2, groups=2), (3, 2, 8, 7)),
        (nn.ConvTranspose2d(2, 3, 3, stride=2, output_padding=1), (1, 2, 4, 5)),
        (nn.BatchNorm1d(4), (3, 4)),
        (nn.BatchNorm2d(2), (3, 2, 4, 4)),
        (nn.GroupNorm(2, 4), (3, 4, 5)),
        (nn.LayerNorm((4, 5)), (3, 4, 5)),
        (nn.MaxPool2d(2, ceil_mode=True), (1, 2, 5, 5)),
        (nn.AvgPool2d(3, 2, 1), (1, 2, 6, 7)),
        (nn.AdaptiveAvgPool2d((2, 3)), (1, 2, 6, 7)),
        (nn.Upsample(scale_factor=2, mode="bilinear"), (1, 2, 3, 4)),
        (nn.GLU(), (3, 4)),
        (nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(18, 2)), (2, 1, 5, 5)),
    ],
)
def test_layers(layer, shape):
    x = torch.rand(*shape)
    found = []
    for device in ("cpu", "meta"):
        copied = copy.deepcopy(layer).to(device)
        given = x.to(device).requires_grad_()
        result = copied(given)
        grads = torch.autograd.grad(result.sum(), [given, *copied.parameters()])
        found.append((kinds(result), kinds(grads)))
    assert found[0] == found[1]


def test_attention():
    queries = [torch.rand(1, 2, 3, 4, device=device) for device in ("cpu", "meta")]
    cpu, meta = (F.scaled_dot_product_attention(each, each, each) for each in queries)
    assert kinds(cpu) == kinds(meta)


def test_what_depends_on_values_is_refused_by_name():
    with pytest.raises(NotImplementedError, match="aten::index"):
        torch.empty(3, device="meta")[torch.empty(3, dtype=torch.bool, device="meta")]
