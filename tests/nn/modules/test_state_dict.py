"""States of modules: given, taken, and refused. The texts are torch's."""

import pytest

import wengert as wg
from wengert import nn


def net():
    return nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3))


NAMES = [
    "0.weight",
    "0.bias",
    "1.weight",
    "1.bias",
    "1.running_mean",
    "1.running_var",
    "1.num_batches_tracked",
]


def test_a_state_has_parameters_and_persistent_buffers_by_dotted_name_and_shares_memory():
    module = net()
    state = module.state_dict()
    assert list(state) == NAMES
    assert dict(state._metadata) == {"": {"version": 1}, "0": {"version": 1}, "1": {"version": 2}}
    assert not state["0.weight"].requires_grad
    state["0.bias"][0] = 5
    assert module[0].bias[0].item() == 5
    assert next(iter(module.state_dict(prefix="net."))) == "net.0.weight"
    assert module.state_dict(keep_vars=True)["0.weight"] is module[0].weight


def test_a_state_loaded_into_another_module_gives_the_same_results():
    one, other = net(), net()
    one(wg.randn(8, 2))
    assert repr(other.load_state_dict(one.state_dict())) == "<All keys matched successfully>"
    x = wg.randn(4, 2)
    assert one.eval()(x).tolist() == other.eval()(x).tolist()
    assert other[1].num_batches_tracked.item() == 1


def test_loading_copies_into_the_parameters_and_keeps_them():
    module = net()
    weight = module[0].weight
    version = weight._version
    module.load_state_dict(net().state_dict())
    assert module[0].weight is weight
    assert weight._version == version + 1
    assert weight.requires_grad
    assert weight.is_leaf


def test_loading_with_assign_takes_the_tensors_themselves():
    module, state = nn.Linear(2, 3), nn.Linear(2, 3).double().state_dict()
    module.load_state_dict(state, assign=True)
    assert module.weight.dtype == wg.float64
    assert isinstance(module.weight, nn.Parameter)
    state["bias"][0] = 9
    assert module.bias[0].item() == 9


def test_all_that_does_not_fit_is_told_at_once():
    wrong = {"0.weight": wg.zeros(3, 3), "x": wg.zeros(1), "0.bias": 3, "1.foo.bar": wg.zeros(1)}
    with pytest.raises(RuntimeError) as caught:
        net().load_state_dict(wrong)
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Sequential:\n"
        '\tMissing key(s) in state_dict: "1.weight", "1.bias", "1.running_mean", "1.running_var". \n'
        '\tUnexpected key(s) in state_dict: "x", "1.foo.bar". \n'
        "\tsize mismatch for 0.weight: copying a param with shape torch.Size([3, 3]) from checkpoint, "
        "the shape in current model is torch.Size([3, 2]).\n"
        '\tWhile copying the parameter named "0.bias", expected torch.Tensor or Tensor-like object from checkpoint '
        "but received <class 'int'>"
    )


def test_without_strict_missing_and_unexpected_names_are_reported_only():
    module = net()
    keys = module.load_state_dict({"0.weight": wg.ones(3, 2), "x": wg.zeros(1)}, strict=False)
    assert keys.missing_keys == ["0.bias", "1.weight", "1.bias", "1.running_mean", "1.running_var"]
    assert keys.unexpected_keys == ["x"]
    assert repr(keys).startswith("_IncompatibleKeys(missing_keys=['0.bias', ")
    assert module[0].weight.tolist() == [[1.0, 1.0]] * 3


def test_something_else_than_a_mapping_is_refused():
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got <class 'list'>"):
        net().load_state_dict([1])


def test_extra_state_is_kept():
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.count = 0

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    module, other = nn.Sequential(Counting()), nn.Sequential(Counting())
    module[0].count = 3
    assert list(module.state_dict()) == ["0._extra_state"]
    other.load_state_dict(module.state_dict())
    assert other[0].count == 3
    with pytest.raises(RuntimeError, match=r'Missing key\(s\) in state_dict: "0._extra_state"'):
        other.load_state_dict({})
    with pytest.raises(RuntimeError, match=r'Unexpected key\(s\) in state_dict: "_extra_state"'):
        nn.Linear(1, 1).load_state_dict({**nn.Linear(1, 1).state_dict(), "_extra_state": 1})
