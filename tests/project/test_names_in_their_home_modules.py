"""Names that torch has in further modules than the one where they are commonly asked for."""

from __future__ import annotations

import importlib
import pickle

import pytest

import wengert as wg
from wengert import nn
from wengert.nn.utils import prune

LAZY = [name for name in dir(nn) if name.startswith("Lazy")]
HOMES = {"Linear": "linear", "Conv": "conv", "Batch": "batchnorm", "Insta": "instancenorm"}


@pytest.mark.parametrize("name", LAZY)
def test_lazy_layers_lie_beside_those_that_they_become(name):
    [home] = [home for begin, home in HOMES.items() if name.removeprefix("Lazy").startswith(begin)]
    module = importlib.import_module(f"wengert.nn.modules.{home}")
    assert getattr(module, name) is getattr(nn, name) and name in dir(module)


@pytest.mark.parametrize("name", ["ParameterDict", "ParameterList"])
def test_containers_of_parameters_lie_with_the_others(name):
    from wengert.nn.modules import container

    assert getattr(container, name) is getattr(nn, name)


def test_datasets_lie_together():
    from wengert.utils.data import StackDataset, dataset

    assert dataset.StackDataset is StackDataset


def test_a_name_that_no_module_has_is_refused():
    with pytest.raises(AttributeError, match="has no attribute 'LazyBilinear'"):
        nn.modules.linear.LazyBilinear  # noqa: B018


def test_what_packed_sequences_are_made_of():
    from wengert.nn.modules.rnn import apply_permutation
    from wengert.nn.utils.rnn import PackedSequence, PackedSequence_, bind

    assert bind(None, len) is None and bind([1, 2], len) == 2
    assert issubclass(PackedSequence, PackedSequence_)
    x = wg.arange(6).reshape(2, 3)
    with pytest.warns(FutureWarning, match="apply_permutation"):
        assert apply_permutation(x, wg.tensor([2, 0, 1])).tolist() == [[2, 0, 1], [5, 3, 4]]


def test_fills_of_parameters_under_their_inner_names():
    layer = nn.Linear(2, 3)
    assert nn.init._no_grad_fill_(layer.weight, 2.0) is layer.weight and layer.weight.is_leaf
    assert nn.init._no_grad_zero_(layer.bias).tolist() == [0, 0, 0]
    for fill in (nn.init._no_grad_uniform_, nn.init._no_grad_normal_):
        assert fill(layer.weight, 0.0, 1.0).grad_fn is None
    assert nn.init._no_grad_trunc_normal_(layer.weight, 0.0, 1.0, -1.0, 1.0).abs().max() <= 1


def test_a_hook_that_pickles_leave_out_is_told():
    from wengert.utils.hooks import unserializable_hook, warn_if_has_hooks

    x = wg.ones(2, requires_grad=True)
    warn_if_has_hooks(x)
    x.register_hook(unserializable_hook(lambda grad: grad))
    warn_if_has_hooks(x)
    x.register_hook(lambda grad: grad)
    with pytest.warns(UserWarning, match="will not be serialized"):
        warn_if_has_hooks(x)


def test_states_of_devices_that_are_not_there():
    from wengert.utils.checkpoint import DefaultDeviceType, get_device_states, set_device_states

    assert get_device_states(wg.ones(2), 3) == ([], []) and DefaultDeviceType.get_device_type() == "cuda"
    set_device_states([], [])
    with pytest.raises((AssertionError, RuntimeError), match="cuda"):
        set_device_states([0], [wg.ones(2)])


@pytest.mark.parametrize("name", ["SymInt", "SymFloat", "SymBool"])
def test_no_number_is_one_that_waits_for_a_compiler(name):
    kind = getattr(wg, name)
    assert isinstance(kind, type) and not isinstance(3, kind) and not isinstance(True, (kind, str))
    with pytest.raises(TypeError, match=name):
        kind(3)


def test_operators_at_the_top_say_reductions_by_numbers_and_give_indices():
    x = wg.arange(6.0).view(1, 1, 6)
    assert [each.tolist() for each in wg.max_pool1d_with_indices(x, 2)] == [[[[1, 3, 5]]], [[[1, 3, 5]]]]
    assert [each.tolist() for each in wg.adaptive_max_pool1d(x, 2)] == [[[[2, 5]]], [[[2, 5]]]]
    ones = wg.ones(2, 2)
    found = [wg.binary_cross_entropy_with_logits(ones, ones, None, None, how) for how in (0, 1, 2)]
    assert [each.shape for each in found] == [(2, 2), (), ()]
    assert found[1] == nn.functional.binary_cross_entropy_with_logits(ones, ones) and found[2] == found[0].sum()


def test_mixed_precision_of_the_cpu_under_its_old_names():
    from wengert.cpu import amp

    assert wg.cpu.amp is amp
    with pytest.warns(FutureWarning, match=r"torch.cpu.amp.autocast\(args...\)` is deprecated"):
        region = amp.autocast()
    with region:
        assert (wg.ones(2, 2) @ wg.ones(2, 2)).dtype is wg.bfloat16
    with pytest.warns(FutureWarning, match="torch.cpu.amp.GradScaler"):
        assert amp.GradScaler(enabled=False).is_enabled() is False


@pytest.mark.parametrize(
    ("found", "home"),
    [
        (wg.Size, "wengert"),
        (type(wg.float32), "wengert"),
        (type(wg.strided), "wengert"),
        (type(wg.device("cpu")), "wengert"),
        (type(wg.ones(2).max(0)), "wengert.return_types"),
        (nn.MultiheadAttention, "wengert.nn.modules.activation"),
        (nn.TransformerEncoderLayer, "wengert.nn.modules.transformer"),
        (nn.ParameterList, "wengert.nn.modules.container"),
        (nn.LazyConv1d, "wengert.nn.modules.conv"),
        (nn.CTCLoss, "wengert.nn.modules.loss"),
        (wg.optim.lr_scheduler.OneCycleLR, "wengert.optim.lr_scheduler"),
        (prune.L1Unstructured, "wengert.nn.utils.prune"),
    ],
)
def test_classes_print_with_the_module_where_torch_has_them(found, home):
    assert repr(found) == f"<class '{home}.{found.__qualname__}'>"
    assert getattr(importlib.import_module(home), found.__qualname__) is found
    assert pickle.loads(pickle.dumps(found)) is found


@pytest.mark.parametrize("value", [wg.Size([2, 3]), wg.float32, wg.device("cpu"), wg.strided, wg.finfo(wg.float32)])
def test_values_of_such_classes_are_pickled(value):
    assert repr(pickle.loads(pickle.dumps(value))) == repr(value)


def test_what_was_pickled_under_the_former_names_is_read():
    former = b"cwengert._core.types.sizes\nSize\n((I2\nI3\nttR."
    assert pickle.loads(former) == wg.Size([2, 3])
    assert pickle.loads(b"cwengert.nn.modules.lazy_layers\nLazyConv1d\n.") is nn.LazyConv1d
