"""Tensors on the device "meta": shape, dtype, strides and history, but no values."""

from __future__ import annotations

import copy
import io
import pickle
import threading

import pytest

import wengert as torch
from wengert import nn


def meta(*shape: int, **options: object) -> torch.Tensor:
    return torch.empty(shape, device="meta", **options)


def test_a_tensor_says_where_it_is_and_what_it_would_be() -> None:
    x = meta(2, 3)
    assert x.device == torch.device("meta")
    assert (x.is_meta, x.is_cpu, x.is_sparse, x.layout) == (True, False, False, torch.strided)
    assert (x.shape, x.dtype, x.stride(), x.storage_offset(), x.nbytes) == ((2, 3), torch.float32, (3, 1), 0, 24)
    assert repr(x) == "tensor(..., device='meta', size=(2, 3))"
    assert repr(meta(3, dtype=torch.int64)) == "tensor(..., device='meta', size=(3,), dtype=torch.int64)"
    assert repr(meta(3, requires_grad=True)) == "tensor(..., device='meta', size=(3,), requires_grad=True)"
    assert f"{meta()}" == "tensor(..., device='meta', size=())"
    assert x.type() == "torch.meta.FloatTensor"


def test_nothing_is_allocated() -> None:
    x = meta(1 << 16, 1 << 22)
    assert x.nbytes == 1 << 40
    assert x.t()[5].stride() == (1 << 22,)
    assert (x + 1).shape == x.shape
    assert torch.zeros(1 << 38, device="meta").numel() == 1 << 38
    assert torch.randn_like(x).shape == x.shape


@pytest.mark.parametrize(
    "make",
    [
        lambda **at: torch.zeros(2, 3, **at),
        lambda **at: torch.ones((2, 3), dtype=torch.int16, **at),
        lambda **at: torch.full((2,), 3, **at),
        lambda **at: torch.full((2,), 3.0, requires_grad=True, **at),
        lambda **at: torch.rand(2, **at),
        lambda **at: torch.randn(2, 2, **at),
        lambda **at: torch.randint(5, (2,), **at),
        lambda **at: torch.randperm(4, **at),
        lambda **at: torch.arange(4, **at),
        lambda **at: torch.linspace(0, 1, 4, **at),
        lambda **at: torch.eye(3, **at),
        lambda **at: torch.tensor([[1, 2]], **at),
        lambda **at: torch.as_tensor([1.0], **at),
        lambda **at: torch.scalar_tensor(2, **at),
        lambda **at: torch.hann_window(4, **at),
        lambda **at: torch.tril_indices(3, 3, **at),
        lambda **at: torch.empty_strided((2, 3), (1, 2), **at),
        lambda **at: torch.ones(2).new_zeros(3, **at),
        lambda **at: torch.ones(2).new_full((3,), 1, **at),
        lambda **at: torch.ones(2).new_tensor([1, 2], **at),
        lambda **at: torch.zeros_like(torch.ones(2, 3).t(), **at),
        lambda **at: torch.full_like(torch.ones(2, dtype=torch.int8), 1, **at),
        lambda **at: torch.rand_like(torch.ones(2), **at),
    ],
)
def test_factories_make_what_they_make_on_the_cpu_without_values(make: object) -> None:
    there, here = make(device="meta"), make()  # type: ignore[operator]
    assert there.is_meta and not here.is_meta
    assert (there.shape, there.dtype, there.stride(), there.requires_grad) == (
        here.shape,
        here.dtype,
        here.stride(),
        here.requires_grad,
    )


def test_what_is_made_like_it_is_on_its_device() -> None:
    x = meta(2, 3, dtype=torch.float64)
    for made in (torch.zeros_like(x), x.new_ones(2), x.new_tensor([1.0]), x.clone(), x.detach(), x.data):
        assert made.is_meta
        assert made.dtype == torch.float64
    assert torch.empty_like(x, device="cpu").shape == (2, 3)
    assert not torch.empty_like(x, device="cpu").is_meta


def test_values_are_refused() -> None:
    x, one = meta(2, 3), meta()
    with pytest.raises(RuntimeError, match=r"Tensor.item\(\) cannot be called on meta tensors"):
        one.item()
    with pytest.raises(RuntimeError, match="cannot be called on meta"):
        float(one)
    with pytest.raises(RuntimeError, match="cannot be called on meta"):
        bool(one)
    for act in (x.tolist, x.cpu, lambda: x.to("cpu"), lambda: x.to(torch.ones(1)), lambda: x.numpy(force=True)):
        with pytest.raises(NotImplementedError, match="Cannot copy out of meta tensor; no data!"):
            act()
    with pytest.raises(TypeError, match="can't convert meta device type tensor to numpy"):
        x.numpy()
    with pytest.raises(NotImplementedError, match="Cannot copy out of meta"):
        torch.ones(2, 3).copy_(x)
    with pytest.raises(NotImplementedError, match="nonzero"):
        x.nonzero()
    with pytest.raises(NotImplementedError, match="no values to be saved"):
        torch.save(x.untyped_storage(), io.BytesIO())


def test_devices_do_not_meet_but_for_numbers() -> None:
    x = meta(2, 3)
    with pytest.raises(RuntimeError, match="Tensor on device cpu is not on the expected device meta!"):
        x + torch.ones(2, 3)
    with pytest.raises(RuntimeError, match="Tensor on device meta is not on the expected device cpu!"):
        torch.ones(2, 3) + x
    assert (x * torch.tensor(2.0)).is_meta
    with pytest.raises(RuntimeError, match="device type 'meta'"):
        torch.ones(2, 3, requires_grad=True).grad = x
    with pytest.raises(RuntimeError, match="incompatible tensor type"):
        torch.ones(2, 3).data = x


def test_views_lie_as_on_the_cpu() -> None:
    x, y = meta(4, 6), torch.empty(4, 6)
    for view in (
        lambda t: t.t(),
        lambda t: t[1:, ::2],
        lambda t: t[2],
        lambda t: t.view(3, 8),
        lambda t: t.reshape(-1),
        lambda t: t.expand(2, 4, 6),
        lambda t: t.unsqueeze(1),
        lambda t: t.diagonal(),
        lambda t: t.split(2)[1],
        lambda t: t.view(torch.int32),
        lambda t: t.transpose(0, 1).contiguous(),
    ):
        there, here = view(x), view(y)
        assert there.is_meta
        assert (there.shape, there.stride(), there.storage_offset(), there.dtype) == (
            here.shape,
            here.stride(),
            here.storage_offset(),
            here.dtype,
        )


def test_results_have_the_shape_and_dtype_of_those_on_the_cpu() -> None:
    pairs = [
        lambda x, y: x + y,
        lambda x, y: x * 2,
        lambda x, y: x > y,
        lambda x, y: (x + y.t().unsqueeze(0)).sin(),
        lambda x, y: torch.where(x > 0, x, y),
        lambda x, y: x.double() + y,
        lambda x, y: x @ y.t(),
        lambda x, y: x.sum(),
        lambda x, y: x.sum(0, keepdim=True),
        lambda x, y: (x > 0).sum(1),
        lambda x, y: x.mean(-1),
        lambda x, y: torch.cat([x, y], 1),
        lambda x, y: torch.stack([x, y], -1),
        lambda x, y: x.softmax(0),
        lambda x, y: x.masked_fill(y > 0, 1),
        lambda x, y: x.half(),
        lambda x, y: x.t() * 2,
        lambda x, y: nn.functional.gelu(x),
        lambda x, y: x.max(),
        lambda x, y: x.to(torch.int32) / 2,
    ]
    for function in pairs:
        there = function(meta(3, 3), meta(3, 3))
        here = function(torch.ones(3, 3), torch.ones(3, 3))
        assert there.is_meta
        assert (there.shape, there.dtype, there.stride()) == (here.shape, here.dtype, here.stride())
    with pytest.raises(RuntimeError, match="must match"):
        meta(2) + meta(3)


def test_writes_are_checked_and_counted() -> None:
    x = meta(2, 3)
    assert x.zero_() is x
    x.add_(1).mul_(2).uniform_().normal_().fill_(3).copy_(torch.ones(3))
    x[0] = 1
    assert x._version == 8
    with pytest.raises(RuntimeError, match="doesn't match the broadcast shape"):
        x.add_(meta(4, 2, 3))
    with pytest.raises(RuntimeError, match="can't be cast"):
        meta(2, dtype=torch.int64).add_(1.5)


def test_a_pass_goes_through() -> None:
    w = meta(4, 3, requires_grad=True)
    loss = nn.functional.linear(meta(2, 3), w, meta(4)).relu().sum()
    assert loss.grad_fn is not None
    loss.backward()
    assert w.grad.is_meta
    assert w.grad.shape == (4, 3)
    (again,) = torch.autograd.grad((w * 2).sum(), w)
    assert again.is_meta
    x = torch.ones(3, requires_grad=True)
    moved = x.to("meta")
    assert moved.grad_fn.name() == "ToCopyBackward0"
    with pytest.raises(NotImplementedError, match="no data"):
        moved.sum().backward()


def test_copies_and_pickles() -> None:
    x = nn.Parameter(meta(3, 2).t())
    for made in (copy.deepcopy(x), pickle.loads(pickle.dumps(x)), copy.copy(x)):
        assert type(made) is nn.Parameter
        assert made.is_meta and made.requires_grad
        assert made.shape == (2, 3)
    assert copy.deepcopy(nn.Linear(2, 3, device="meta")).weight.is_meta


LAYERS = [
    lambda **at: nn.Linear(3, 4, **at),
    lambda **at: nn.Bilinear(3, 4, 2, **at),
    lambda **at: nn.Conv2d(3, 4, 3, **at),
    lambda **at: nn.ConvTranspose1d(3, 4, 3, **at),
    lambda **at: nn.BatchNorm2d(3, **at),
    lambda **at: nn.InstanceNorm1d(3, affine=True, track_running_stats=True, **at),
    lambda **at: nn.LayerNorm(3, **at),
    lambda **at: nn.RMSNorm(3, **at),
    lambda **at: nn.GroupNorm(1, 3, **at),
    lambda **at: nn.Embedding(5, 3, padding_idx=1, **at),
    lambda **at: nn.EmbeddingBag(5, 3, **at),
    lambda **at: nn.LSTM(3, 4, 2, bidirectional=True, proj_size=2, **at),
    lambda **at: nn.GRUCell(3, 4, **at),
    lambda **at: nn.PReLU(3, **at),
    lambda **at: nn.MultiheadAttention(4, 2, add_bias_kv=True, **at),
    lambda **at: nn.Transformer(4, 2, 1, 1, 8, batch_first=True, **at),
    lambda **at: nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2], **at),
]


@pytest.mark.parametrize("make", LAYERS)
@pytest.mark.parametrize("chosen", ["device=", "with"])
def test_layers_are_made_there_and_given_memory_later(make: object, chosen: str) -> None:
    if chosen == "with":
        with torch.device("meta"):
            there = make()  # type: ignore[operator]
    else:
        there = make(device="meta")  # type: ignore[operator]
    here = make()  # type: ignore[operator]
    state, known = there.state_dict(), here.state_dict()
    assert [*state] == [*known]
    assert all(each.is_meta and each.shape == known[name].shape for name, each in state.items())
    assert not any(each.is_meta for each in known.values())
    with pytest.raises(NotImplementedError, match=r"Please use torch.nn.Module.to_empty\(\)"):
        there.to("cpu")
    there.load_state_dict(known, assign=True)
    assert all(bool((each == known[name]).all()) for name, each in there.state_dict().items())
    here.to("meta")
    assert all(each.is_meta for each in here.state_dict().values())
    here.to_empty(device="cpu")
    here.load_state_dict(known)
    assert not any(each.is_meta for each in here.state_dict().values())


@pytest.mark.parametrize("make", LAYERS)
def test_layers_refuse_devices_that_are_not_there(make: object) -> None:
    with pytest.raises(AssertionError, match="not compiled with CUDA"):
        make(device="cuda")  # type: ignore[operator]


def test_loading_without_assign_changes_nothing_and_out_of_meta_is_refused() -> None:
    there, here = nn.Linear(2, 3, device="meta"), nn.Linear(2, 3)
    there.load_state_dict(here.state_dict())
    assert there.weight.is_meta
    with pytest.raises(RuntimeError, match="Cannot copy out of meta tensor"):
        here.load_state_dict(there.state_dict())
    assert there(meta(5, 2)).shape == (5, 3)
    with pytest.raises(RuntimeError, match="is not on the expected device"):
        there(torch.ones(5, 2))


def test_the_context_says_where_new_tensors_are() -> None:
    assert torch.get_default_device() == torch.device("cpu")
    with torch.device("meta"):
        assert torch.get_default_device() == torch.device("meta")
        assert torch.ones(2).is_meta and torch.tensor([1.0]).is_meta and torch.arange(3).is_meta
        assert torch.as_tensor([1.0]).is_meta
        assert not torch.ones(2, device="cpu").is_meta
        assert not torch.zeros_like(torch.ones(1, device="cpu")).is_meta
        with torch.device("cpu"):
            assert not torch.ones(2).is_meta
            assert not nn.Linear(1, 1).weight.is_meta
        assert torch.ones(2).is_meta
        seen: list[bool] = []
        thread = threading.Thread(target=lambda: seen.append(torch.ones(2).is_meta))
        thread.start()
        thread.join()
        assert seen == [False]
    assert not torch.ones(2).is_meta
    with torch.device("cpu"):
        assert not torch.ones(2).is_meta


def test_the_default_device() -> None:
    torch.set_default_device("meta")
    try:
        assert torch.get_default_device() == torch.device("meta")
        assert torch.ones(2).is_meta
        assert nn.Linear(2, 2).weight.is_meta
        with torch.device("cpu"):
            assert not torch.ones(2).is_meta
    finally:
        torch.set_default_device(None)
    assert not torch.ones(2).is_meta
    with pytest.raises(AssertionError, match="CUDA"):
        torch.set_default_device("cuda")


def test_skip_init() -> None:
    layer = nn.utils.skip_init(nn.Linear, 3, 4)
    assert not layer.weight.is_meta
    assert layer.weight.shape == (4, 3)


def test_functions_that_make_none_there_refuse() -> None:
    with pytest.raises(RuntimeError, match="meta"):
        torch.Generator("meta")


def test_the_module_of_the_context_has_torchs_names() -> None:
    from wengert.utils._device import DeviceContext, set_device

    with DeviceContext("meta"):
        assert torch.ones(1).is_meta
    assert set_device("meta")(lambda: torch.ones(1))().is_meta


DTYPES = (
    *(torch.bfloat16, torch.float16, torch.float32, torch.float64, torch.complex64, torch.complex128, torch.bool),
    *(torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8, torch.uint16, torch.uint32, torch.uint64),
)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("other", [None, torch.float32, torch.bfloat16, torch.int64], ids=str)
@pytest.mark.filterwarnings("ignore:Casting complex values to real")
def test_every_conversion_leaves_the_values_behind(dtype: torch.dtype, other: torch.dtype | None) -> None:
    x = torch.zeros(3, 2, dtype=dtype).t()
    expected = x if other is None else x.to(other)
    like = torch.empty(0, dtype=expected.dtype, device="meta")
    for result in (
        x.to("meta", other),
        x.to(device="meta", dtype=other),
        x.to(torch.device("meta"), other, copy=True),
        x.to(like),
    ):
        assert result.is_meta
        assert (result.dtype, result.shape, result.stride()) == (expected.dtype, expected.shape, expected.stride())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_a_layer_is_moved_in_every_precision(dtype: torch.dtype) -> None:
    layer = nn.Linear(2, 3, dtype=dtype).to("meta")
    assert layer.weight.is_meta
    assert layer(torch.empty(4, 2, dtype=dtype, device="meta")).is_meta
