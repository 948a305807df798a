"""What a module does with what is assigned to it, and how it is walked, copied, converted and called."""

from __future__ import annotations

import copy
import pickle

import pytest

import wengert as wg
from wengert import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.second = nn.Linear(3, 1, bias=False)
        self.scale = nn.Parameter(wg.ones(1))
        self.register_buffer("offset", wg.zeros(1))
        self.register_buffer("scratch", wg.zeros(2), persistent=False)

    def forward(self, x):
        return self.second(self.first(x).relu()) * self.scale + self.offset


def test_assigned_parameters_modules_and_buffers_are_found_under_dotted_names_in_order():
    net = Net()
    assert [name for name, _ in net.named_parameters()] == ["scale", "first.weight", "first.bias", "second.weight"]
    assert [name for name, _ in net.named_buffers()] == ["offset", "scratch"]
    assert [name for name, _ in net.named_modules()] == ["", "first", "second"]
    assert [name for name, _ in net.named_children()] == ["first", "second"]
    assert [name for name, _ in net.named_parameters(prefix="net", recurse=False)] == ["net.scale"]


def test_a_shared_parameter_is_counted_once_unless_duplicates_are_asked_for():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    assert len(list(net.parameters())) == 3
    assert len(list(net.named_parameters(remove_duplicate=False))) == 4
    twice = nn.Sequential(net[0], net[0])
    assert len(list(twice.modules())) == 2
    assert len(list(twice.modules(remove_duplicate=False))) == 3


def test_a_parameter_takes_the_place_of_a_plain_attribute_and_the_reverse_is_refused():
    net = nn.Module()
    net.weight = 3
    net.weight = nn.Parameter(wg.ones(2))
    assert "weight" in net._parameters
    assert "weight" not in vars(net)
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'weight'"):
        net.weight = wg.ones(2)
    net.weight = None
    assert net.weight is None
    assert list(net.parameters()) == []


def test_a_module_or_buffer_place_refuses_other_things():
    net = Net()
    with pytest.raises(
        TypeError, match=r"cannot assign 'int' as child module 'first' \(torch.nn.Module or None expected\)"
    ):
        net.first = 3
    with pytest.raises(TypeError, match=r"cannot assign 'int' as buffer 'offset'"):
        net.offset = 3
    net.offset = wg.ones(1)
    assert net.state_dict()["offset"].item() == 1


def test_members_can_be_deleted():
    net = Net()
    del net.first, net.scale, net.scratch
    assert [name for name, _ in net.named_parameters()] == ["second.weight"]
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'first'"):
        del net.first
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'first'"):
        net.first  # noqa: B018


def test_assigning_before_init_is_refused_with_advice():
    class Early(nn.Module):
        def __init__(self, value):
            self.value = value

    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__\(\) call"):
        Early(nn.Parameter(wg.ones(1)))
    with pytest.raises(AttributeError, match=r"cannot assign module before Module.__init__\(\) call"):
        Early(nn.ReLU())


@pytest.mark.parametrize(
    ("name", "error", "says"),
    [
        ("a.b", KeyError, "can't contain"),
        ("", KeyError, "can't be empty string"),
        (3, TypeError, "name should be a string. Got int"),
        ("forward", KeyError, "attribute 'forward' already exists"),
    ],
)
@pytest.mark.parametrize("register", ["register_parameter", "register_buffer", "register_module"])
def test_bad_names_are_refused(register, name, error, says):
    with pytest.raises(error) as caught:
        getattr(nn.Module(), register)(name, None)
    assert says in str(caught.value).replace("\\'", "'")


def test_registering_other_things_is_refused():
    net = nn.Module()
    with pytest.raises(TypeError, match=r"cannot assign 'torch.FloatTensor' object to parameter 'a'"):
        net.register_parameter("a", wg.ones(1))
    with pytest.raises(TypeError, match="cannot assign 'int' object to buffer 'a'"):
        net.register_buffer("a", 1)
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        net.add_module("a", 1)


def test_lookup_by_dotted_name():
    net = nn.Sequential(Net())
    assert net.get_submodule("") is net
    assert net.get_submodule("0.first") is net[0].first
    assert net.get_parameter("0.first.bias") is net[0].first.bias
    assert net.get_buffer("0.offset") is net[0].offset
    with pytest.raises(AttributeError, match="Net has no attribute `third`"):
        net.get_submodule("0.third")
    with pytest.raises(AttributeError, match=r"`scale` is not an nn.Module"):
        net.get_submodule("0.scale")
    with pytest.raises(AttributeError, match=r"`first` is not an nn.Parameter"):
        net.get_parameter("0.first")
    with pytest.raises(AttributeError, match="`scale` is not a buffer"):
        net.get_buffer("0.scale")
    net.set_submodule("0.first", nn.Identity())
    assert isinstance(net[0].first, nn.Identity)
    with pytest.raises(ValueError, match="Cannot set the submodule without a target name!"):
        net.set_submodule("", nn.Identity())


def test_dir_lists_members():
    assert {"first", "scale", "offset", "forward", "training"} <= set(dir(Net()))


def test_train_and_eval_reach_all_modules():
    net = nn.Sequential(nn.Dropout(), nn.Sequential(nn.Dropout()))
    net.eval()
    assert not any(module.training for module in net.modules())
    assert net.train() is net
    assert all(module.training for module in net.modules())
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        net.train(1)


def test_zero_grad_sets_to_none_or_to_zero():
    net = nn.Linear(2, 1)
    net(wg.ones(3, 2)).sum().backward()
    net.zero_grad(set_to_none=False)
    assert net.weight.grad.tolist() == [[0.0, 0.0]]
    net.zero_grad()
    assert net.weight.grad is None


def test_requires_grad_of_all_parameters():
    net = Net().requires_grad_(False)
    assert not any(parameter.requires_grad for parameter in net.parameters())
    assert not net(wg.ones(2)).requires_grad


def test_apply_visits_children_first():
    seen = []
    net = nn.Sequential(nn.ReLU(), nn.Tanh())
    assert net.apply(lambda module: seen.append(type(module).__name__)) is net
    assert seen == ["ReLU", "Tanh", "Sequential"]


def test_conversion_keeps_the_identity_of_parameters_and_leaves_integers():
    net = nn.BatchNorm1d(2)
    weight = net.weight
    net(wg.randn(4, 2)).sum().backward()
    assert net.double() is net
    assert net.weight is weight
    assert weight.dtype == weight.grad.dtype == net.running_mean.dtype == wg.float64
    assert net.num_batches_tracked.dtype == wg.int64
    assert weight.is_leaf
    assert weight.requires_grad
    assert net.to(wg.float16).weight.dtype == wg.float16
    assert net.to("cpu", dtype=wg.float32).weight.dtype == wg.float32
    assert net.to(wg.ones(1, dtype=wg.float64)).weight.dtype == wg.float64
    assert net.float().half().weight.dtype == wg.float16
    with pytest.raises(
        TypeError, match=r"only accepts floating point or complex dtypes, but got desired dtype=torch.int32"
    ):
        net.to(wg.int32)
    with pytest.raises(AssertionError, match="cuda"):
        net.to("cuda")


INVALID = r"to\(\) received an invalid combination of arguments - got \({}\), but expected one of"


@pytest.mark.parametrize(
    ("args", "kwargs", "kind", "says"),
    [
        (([1],), {}, TypeError, INVALID.format("list")),
        ((), {"x": 3}, TypeError, INVALID.format("x=int")),
        (("cpu", "float64"), {}, TypeError, INVALID.format("str, str")),
        ((wg.float64, "cpu"), {}, TypeError, INVALID.format("torch.dtype, str")),
        ((wg.float64, wg.float64), {}, TypeError, INVALID.format("torch.dtype, torch.dtype")),
        ((), {"dtype": "float"}, TypeError, INVALID.format("dtype=str")),
        ((), {"memory_format": 3}, TypeError, INVALID.format("memory_format=int")),
        ((int,), {}, TypeError, "only accepts floating point or complex dtypes, but got desired dtype=torch.int64"),
        (("cpu", wg.float64, False, True), {}, RuntimeError, "does not accept copy argument"),
        ((), {"copy": True}, RuntimeError, "does not accept copy argument"),
        ((3,), {}, RuntimeError, "Cannot access accelerator device when none is available"),
        ((), {"device": 3}, RuntimeError, "Cannot access accelerator device when none is available"),
        (("float64",), {}, RuntimeError, "Invalid device string: 'float64'"),
    ],
)
def test_what_a_module_cannot_be_converted_to_is_refused(args, kwargs, kind, says):
    net = nn.Linear(2, 2)
    with pytest.raises(kind, match=says):
        net.to(*args, **kwargs)
    assert net.weight.dtype == wg.float32


def test_conversion_takes_torchs_forms_of_arguments():
    net = nn.Linear(2, 2)
    net(wg.ones(1, 2)).sum().backward()
    grad = net.weight.grad
    for args in ((), ("cpu",), (None,), ("cpu:0",), ("cpu", None, True), (wg.device("cpu"),)):
        assert net.to(*args).weight.dtype == wg.float32
    for args in ((float,), ("cpu", wg.float64), (wg.float64, True), (wg.ones(1, dtype=wg.float64), True)):
        assert net.to(wg.float32).to(*args).weight.dtype == wg.float64
    assert net.weight.grad is grad and grad.dtype == wg.float64
    with pytest.warns(UserWarning, match="Complex modules are a new feature"):
        net.to(wg.complex64)


def test_a_memory_format_is_taken_by_weights_of_images_and_volumes_only():
    net = nn.Sequential(nn.Conv2d(2, 3, 3), nn.Linear(2, 2)).to(memory_format=wg.channels_last)
    assert net[0].weight.stride() == (18, 1, 6, 2)
    assert net[1].weight.stride() == (2, 1)
    assert nn.Conv3d(2, 3, 3).to(memory_format=wg.channels_last_3d).weight.stride() == (54, 1, 18, 6, 2)
    with pytest.raises(RuntimeError, match="required rank 4 tensor to use channels_last format"):
        nn.Conv3d(2, 3, 3).to(memory_format=wg.channels_last)


def test_to_empty_gives_new_memory():
    net = nn.Linear(2, 3)
    weight, memory = net.weight, net.weight.data
    assert net.to_empty(device="cpu").weight is weight
    assert weight.shape == (3, 2) and weight.data_ptr() != memory.data_ptr()


def test_copies_are_independent_and_keep_sharing_within():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    other = copy.deepcopy(net)
    assert other[0].weight is other[1].weight
    assert other[0].weight is not net[0].weight
    assert isinstance(other[0].weight, nn.Parameter)
    with wg.no_grad():
        other[0].weight.fill_(7)
    assert net[0].weight.max().item() < 7


def test_modules_can_be_pickled():
    net = Net()
    other = pickle.loads(pickle.dumps(net))
    assert other(wg.ones(2)).tolist() == net(wg.ones(2)).tolist()
    assert isinstance(other.scale, nn.Parameter)
    assert other.scale.requires_grad


def test_a_module_without_forward_says_so():
    class Empty(nn.Module):
        pass

    with pytest.raises(NotImplementedError, match=r'Module \[Empty\] is missing the required "forward" function'):
        Empty()(1)


def test_init_takes_no_arguments():
    with pytest.raises(TypeError, match=r"Module.__init__\(\) takes 1 positional argument but 2 were given"):
        nn.Module(1)
    with pytest.raises(TypeError, match=r"Module.__init__\(\) got an unexpected keyword argument 'a'"):
        nn.Module(a=1)


def test_a_parameter_prints_as_in_torch_and_shares_memory():
    values = wg.ones(2)
    parameter = nn.Parameter(values)
    assert repr(parameter) == "Parameter containing:\ntensor([1., 1.], requires_grad=True)"
    assert repr(nn.Parameter(values, requires_grad=False)) == "Parameter containing:\ntensor([1., 1.])"
    values[0] = 5
    assert parameter[0].item() == 5
    assert not isinstance(parameter + 1, nn.Parameter)
    assert repr(nn.Parameter()) == "Parameter containing:\ntensor([], requires_grad=True)"


def test_a_parameter_needs_a_floating_tensor():
    with pytest.raises(RuntimeError, match="floating point and complex dtype can require gradients"):
        nn.Parameter(wg.tensor([1]))
    with pytest.raises(TypeError, match="data must be a Tensor, not list"):
        nn.Parameter([1.0])
    assert nn.Parameter(wg.tensor([1]), requires_grad=False).dtype == wg.int64


def test_a_copied_parameter_has_no_gradient():
    parameter = nn.Parameter(wg.ones(2))
    parameter.grad = wg.ones(2)
    other = copy.deepcopy(parameter)
    assert other.grad is None
    assert other.requires_grad
    assert isinstance(other, nn.Parameter)


def test_an_assigned_buffer_is_registered():
    net = nn.Module()
    net.kept = nn.Buffer(wg.ones(1))
    net.lost = nn.Buffer(wg.ones(1), persistent=False)
    assert [name for name, _ in net.named_buffers()] == ["kept", "lost"]
    assert list(net.state_dict()) == ["kept"]


@pytest.mark.parametrize("name", ["cuda", "xpu", "ipu", "mtia"])
def test_a_device_that_is_not_there_is_refused_and_leaves_the_module_as_it_was(name):
    net = Net()
    net(wg.ones(1, 2)).sum().backward()
    before = [(each, each.grad) for each in net.parameters()]
    with pytest.raises((AssertionError, RuntimeError), match=name):
        getattr(net, name)()
    assert all(each is one and each.grad is grad for each, (one, grad) in zip(net.parameters(), before))
    empty = nn.ReLU()
    assert getattr(empty, name)(0) is empty


def test_shared_memory_is_that_of_all_parameters_and_buffers():
    net = Net()
    assert net.share_memory() is net
    assert all(each.is_shared() for each in [*net.parameters(), *net.buffers()])


def test_a_class_may_ask_for_its_next_class_to_be_made_with_the_arguments():
    class Kept:
        def __init__(self, *args, **kwargs):
            self.kept = args, kwargs

    class Both(nn.Module, Kept):
        call_super_init = True

        def __init__(self):
            super().__init__(1, b=2)

    assert Both().kept == ((1,), {"b": 2})
    with pytest.raises(TypeError, match="unexpected keyword argument 'b'"):
        nn.Module(b=2)


def test_what_a_copy_kept_is_taken_over_by_setstate():
    class Later(Net):
        def __setstate__(self, state):
            super().__setstate__(state)
            self.added = True

    assert copy.deepcopy(Later()).added and copy.deepcopy(Later()).compile() is None


def test_arguments_of_to_are_read_for_modules_of_programs():
    read = wg._C._nn._parse_to
    cpu = wg.device("cpu")
    assert read() == read(None) == (None, None, False, None)
    assert read("cpu") == (cpu, None, False, None)
    assert read(cpu, wg.int32, True) == (cpu, wg.int32, True, None)
    assert read(wg.ones(2, dtype=wg.float64)) == (cpu, wg.float64, False, None)
    assert read(dtype=wg.float16, memory_format=wg.channels_last) == (None, wg.float16, False, wg.channels_last)
    with pytest.raises(RuntimeError, match="does not accept copy argument"):
        read(wg.float32, True, True)
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        read(1.5)


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
