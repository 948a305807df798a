"""Sequential, ModuleList, ModuleDict and the containers of parameters."""

from collections import OrderedDict

import pytest

import wengert as wg
from wengert import nn


def kinds(modules):
    return [type(module).__name__ for module in modules]


def test_a_sequential_is_indexed_sliced_and_changed_like_a_list():
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    assert len(net) == 3
    assert net[-1] is net[2]
    assert kinds(net[1:]) == ["ReLU", "Linear"]
    assert net[1:][1] is net[2]
    net.append(nn.Tanh()).insert(1, nn.Dropout()).extend([nn.Sigmoid()])
    assert kinds(net) == ["Linear", "Dropout", "ReLU", "Linear", "Tanh", "Sigmoid"]
    del net[1]
    assert list(net._modules) == ["0", "1", "2", "3", "4"]
    net[1] = nn.GELU()
    assert isinstance(net.pop(-1), nn.Sigmoid)
    assert kinds(net + nn.Sequential(nn.Tanh())) == ["Linear", "GELU", "Linear", "Tanh", "Tanh"]
    assert len(nn.Sequential(nn.Tanh()) * 3) == 3
    with pytest.raises(IndexError, match="index 9 is out of range"):
        net[9]
    with pytest.raises(AssertionError, match="module should be of type"):
        net.insert(0, 3)
    with pytest.raises(IndexError, match="Index out of range: 9"):
        net.insert(9, nn.Tanh())
    with pytest.raises(ValueError, match="add operator supports only objects of Sequential class"):
        net + 3


def test_a_sequential_with_names_applies_its_modules_in_order():
    net = nn.Sequential(OrderedDict({"linear": nn.Linear(1, 1), "relu": nn.ReLU()}))
    with wg.no_grad():
        net.linear.weight.fill_(2)
        net.linear.bias.fill_(-10)
    assert net(wg.tensor([6.0])).tolist() == [2.0]
    assert net(wg.tensor([4.0])).tolist() == [0.0]
    with pytest.raises(TypeError, match="dict is not a Module subclass"):
        nn.Sequential({"relu": nn.ReLU()})


def test_a_module_list_registers_and_groups_equal_lines_when_printed():
    modules = nn.ModuleList([nn.Linear(2, 2) for _ in range(3)] + [nn.ReLU()])
    assert len(list(modules.parameters())) == 6
    assert repr(modules) == (
        "ModuleList(\n  (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)\n  (3): ReLU()\n)"
    )
    modules.insert(0, nn.Tanh())
    modules += [nn.Tanh()]
    assert kinds(modules) == ["Tanh", "Linear", "Linear", "Linear", "ReLU", "Tanh"]
    assert kinds(modules[::5]) == ["Tanh", "Tanh"]
    assert repr(nn.ModuleList()) == "ModuleList()"
    with pytest.raises(TypeError, match=r"ModuleList.extend should be called with an iterable, but got int"):
        modules.extend(3)
    with pytest.raises(NotImplementedError):
        modules(1)


def test_a_module_dict_keeps_modules_by_name():
    modules = nn.ModuleDict({"a": nn.Linear(2, 2)})
    modules["b"] = nn.Sequential()
    modules.update([("c", nn.ReLU())])
    assert list(modules) == ["a", "b", "c"]
    assert "b" in modules
    assert repr(modules) == (
        "ModuleDict(\n  (a): Linear(in_features=2, out_features=2, bias=True)\n  (b): Sequential()\n  (c): ReLU()\n)"
    )
    assert isinstance(modules.pop("c"), nn.ReLU)
    del modules["b"]
    assert [name for name, _ in modules.items()] == ["a"]
    with pytest.raises(ValueError, match=r"ModuleDict update sequence element #0 has length 3; 2 is required"):
        modules.update([(1, 2, 3)])
    modules.clear()
    assert len(modules) == 0


def test_nested_modules_print_as_in_torch():
    nested = nn.Sequential(nn.ModuleList([nn.Sequential(nn.ReLU()), nn.Sequential(nn.ReLU())]))
    assert repr(nested) == (
        "Sequential(\n  (0): ModuleList(\n    (0-1): 2 x Sequential(\n      (0): ReLU()\n    )\n  )\n)"
    )


def test_a_parameter_list_makes_parameters_of_tensors():
    kept = nn.ParameterList([wg.ones(2, 3)])
    kept.append(nn.Parameter(wg.zeros(1)))
    assert all(isinstance(each, nn.Parameter) for each in kept)
    assert list(kept.state_dict()) == ["0", "1"]
    assert repr(nn.ParameterList([wg.ones(2, 3)])) == (
        "ParameterList(  (0): Parameter containing: [torch.float32 of size 2x3])"
    )
    assert kept[-1].tolist() == [0.0]
    with pytest.raises(IndexError, match="index 2 is out of range"):
        kept[2]


def test_a_parameter_dict_keeps_parameters_by_name():
    kept = nn.ParameterDict({"a": wg.ones(2)})
    kept["b"] = nn.Parameter(wg.zeros(1))
    assert list(kept) == list(kept.keys()) == list(kept.state_dict()) == ["a", "b"]
    assert kept.pop("a").tolist() == [1.0, 1.0]
    assert [name for name, _ in kept.named_parameters()] == ["b"]
    with pytest.raises(AttributeError, match="'ParameterDict' object has no attribute 'a'"):
        kept["a"]


def parameter(value):
    return nn.Parameter(wg.full((2,), float(value)))


def shown(kept):
    return {key: None if value is None else value[0].item() for key, value in kept.items()}


def test_a_parameter_dict_sorts_a_plain_mapping_and_keeps_every_other_order():
    plain = {"b": parameter(1), "a": parameter(2), "c": parameter(3)}
    kept = nn.ParameterDict(plain)
    assert list(kept) == [name for name, _ in kept.named_parameters()] == list(kept.state_dict()) == ["a", "b", "c"]
    assert list(nn.ParameterDict(OrderedDict(plain))) == list(nn.ParameterDict(plain.items())) == ["b", "a", "c"]
    assert list(nn.ParameterDict(nn.ParameterDict(OrderedDict(plain)))) == ["b", "a", "c"]
    kept["b"] = parameter(7)
    del kept["a"]
    kept["a"] = wg.ones(1)
    assert shown(kept) == {"b": 7, "c": 3, "a": 1}
    kept.update({"z": parameter(4), "b": parameter(5), "d": parameter(6)})
    assert list(shown(kept).items()) == [("b", 5), ("c", 3), ("a", 1), ("d", 6), ("z", 4)]
    assert list(reversed(kept)) == ["z", "d", "a", "c", "b"]


def test_a_parameter_dict_is_used_like_a_dictionary():
    kept = nn.ParameterDict([("b", parameter(1)), ("a", parameter(2))])
    assert kept.get("x") is None and kept.get("x", 3) == 3 and kept.get("a") is kept["a"]
    assert kept.setdefault("n", wg.zeros(2)) is kept["n"] and isinstance(kept["n"], nn.Parameter)
    assert kept.setdefault("b", parameter(9)).tolist() == [1.0, 1.0]
    key, value = kept.popitem()
    assert (key, value.tolist()) == ("n", [0.0, 0.0])
    other = kept.copy()
    assert type(other) is nn.ParameterDict and list(other) == ["b", "a"] and other["a"] is kept["a"]
    assert shown(kept.fromkeys(["x", "b"])) == {"x": None, "b": None}
    right = nn.ParameterDict(OrderedDict(z=parameter(8), a=parameter(7)))
    assert list(shown(kept | right).items()) == [("b", 1), ("a", 7), ("z", 8)]
    assert list(shown({"k": parameter(3)} | kept).items()) == [("k", 3), ("b", 1), ("a", 2)]
    same = kept
    same |= {"k": parameter(3)}
    assert same is kept and list(shown(kept).items()) == [("b", 1), ("a", 2), ("k", 3)]
    kept.clear()
    assert len(kept) == 0 and list(kept.parameters()) == [] and "b" in other
    with pytest.raises(KeyError, match="dictionary is empty"):
        kept.popitem()


@pytest.mark.parametrize(
    ("given", "kind", "says"),
    [
        (3, TypeError, "should be called with an iterable of key/value pairs, but got int"),
        ([3], TypeError, "ParameterDict update sequence element #0 should be Iterable; isint"),
        ([("a", 1), ("b", 2, 3)], ValueError, "ParameterDict update sequence element #1 has length 3; 2 is required"),
        ({3: 4}, TypeError, "cannot be used as a key as it is not a string .type is 'int'"),
    ],
)
def test_what_is_no_dictionary_of_parameters_is_refused(given, kind, says):
    with pytest.raises(kind, match=says):
        nn.ParameterDict(given)


def test_containers_of_parameters_print_as_in_torch():
    kept = nn.ParameterDict({"a": wg.ones(2, 3), "b": "x"})
    lines = "    (a): Parameter containing: [torch.FloatTensor of size 2x3]\n    (b): Object of type: str\n"
    assert repr(kept) == f"ParameterDict(\n{lines})"
    assert repr(nn.ParameterDict()) == "ParameterDict()"
    outer = nn.Module()
    outer.kept = nn.ParameterList([wg.ones(2), 3])
    assert repr(outer) == (
        "Module(\n  (kept): ParameterList(\n      (0): Parameter containing: [torch.float32 of size 2]\n"
        "      (1): Object of type: int\n  )\n)"
    )
