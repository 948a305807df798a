"""What libraries call of layers besides their documented methods, and older names of options."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert import nn
from wengert.nn import _reduction


def test_hooks_of_a_module_are_told_apart():
    layer, older = nn.Linear(2, 2), nn.Linear(2, 2)

    def hook(*args):
        return None

    layer.register_full_backward_hook(hook)
    layer.register_full_backward_pre_hook(hook)
    older.register_backward_hook(hook)
    assert layer._get_backward_hooks() == ([hook], []) and layer._get_backward_pre_hooks() == [hook]
    assert older._get_backward_hooks() == ([], [hook]) and older._get_backward_pre_hooks() == []


def test_what_older_hooks_do_not_see_is_warned_of():
    layer = nn.Sequential(nn.Linear(2, 2), nn.Tanh())
    x = wg.ones(1, 2)
    y = layer(x)
    with pytest.warns(FutureWarning, match="forward contains multiple autograd Nodes"):
        layer._maybe_warn_non_full_backward_hook(x, y, y.grad_fn)


def test_a_replica_shares_all_but_parameters():
    layer = nn.BatchNorm1d(2)
    replica = layer._replicate_for_data_parallel()
    assert type(replica) is nn.BatchNorm1d and replica._is_replica and list(replica.parameters()) == []
    assert replica.running_mean is layer.running_mean and len(list(layer.parameters())) == 2


def test_slow_forward_runs_no_hooks():
    layer = nn.Linear(2, 2)
    layer.register_forward_hook(lambda module, args, out: out * 0)
    assert layer._slow_forward(wg.ones(2)).tolist() != layer(wg.ones(2)).tolist() == [0, 0]
    assert layer._compiled_call_impl is None


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


def test_reductions_have_numbers():
    assert [_reduction.get_enum(each) for each in ("none", "mean", "sum")] == [0, 1, 2]
    with pytest.raises(ValueError, match="not a valid value for reduction"):
        _reduction.get_enum("product")
    with pytest.warns(UserWarning, match="reduction='sum' instead"):
        assert _reduction.legacy_get_string(False, None) == "sum"
    assert _reduction.legacy_get_enum(True, False, emit_warning=False) == 0


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


def test_a_region_of_autocast_can_be_put_around_a_function():
    region = wg.amp.autocast_mode.autocast("cpu", dtype=wg.bfloat16)
    product = wg.amp.autocast_mode.autocast_decorator(region, lambda x: x @ x)
    assert product(wg.ones(2, 2)).dtype is wg.bfloat16
