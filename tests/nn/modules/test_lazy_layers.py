"""Layers that learn the shapes of their parameters from the first input, and parameters that have none yet."""

import copy
import pickle

import pytest

import wengert as wg
from wengert import nn
from wengert.nn.modules.lazy import LazyModuleMixin
from wengert.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy

# A layer, the shape of its first input, and the layer that it becomes.
LAYERS = [
    ("LazyLinear(3)", (2, 5), "Linear(5, 3)"),
    ("LazyLinear(3, bias=False)", (2, 5), "Linear(5, 3, bias=False)"),
    ("LazyConv1d(4, 2)", (1, 3, 5), "Conv1d(3, 4, 2)"),
    ("LazyConv2d(4, 2, 1, 1, padding_mode='reflect')", (3, 5, 5), "Conv2d(3, 4, 2, 1, 1, padding_mode='reflect')"),
    ("LazyConv3d(4, 2, groups=2, bias=False)", (1, 2, 3, 3, 3), "Conv3d(2, 4, 2, groups=2, bias=False)"),
    ("LazyConvTranspose1d(4, 2)", (1, 3, 5), "ConvTranspose1d(3, 4, 2)"),
    ("LazyConvTranspose2d(4, 2, 2, 0, 1)", (1, 3, 5, 4), "ConvTranspose2d(3, 4, 2, 2, 0, 1)"),
    ("LazyConvTranspose3d(4, 2, groups=2)", (1, 2, 3, 3, 3), "ConvTranspose3d(2, 4, 2, groups=2)"),
    ("LazyBatchNorm1d()", (2, 5), "BatchNorm1d(5)"),
    ("LazyBatchNorm2d(affine=False)", (2, 5, 3, 3), "BatchNorm2d(5, affine=False)"),
    ("LazyBatchNorm3d(track_running_stats=False)", (2, 5, 2, 2, 2), "BatchNorm3d(5, track_running_stats=False)"),
    ("LazyInstanceNorm1d()", (2, 5, 4), "InstanceNorm1d(5, affine=True, track_running_stats=True)"),
    ("LazyInstanceNorm2d()", (2, 5, 4, 3), "InstanceNorm2d(5, affine=True, track_running_stats=True)"),
    ("LazyInstanceNorm3d()", (2, 5, 2, 2, 3), "InstanceNorm3d(5, affine=True, track_running_stats=True)"),
]


def made(source):
    return eval(f"nn.{source}", {"nn": nn})


@pytest.mark.parametrize(("source", "shape", "becomes"), LAYERS)
def test_a_layer_becomes_what_its_first_input_asks_for(source, shape, becomes):
    lazy, plain = made(source), made(becomes)
    assert lazy.has_uninitialized_params() or not list(lazy.state_dict())
    assert list(lazy.state_dict()) == list(plain.state_dict())
    lazy(wg.rand(shape))
    assert type(lazy) is type(plain) and repr(lazy) == repr(plain)
    assert not any(map(is_lazy, (*lazy.parameters(), *lazy.buffers())))
    assert all(type(parameter) is nn.Parameter and parameter.requires_grad for parameter in lazy.parameters())
    lazy.load_state_dict(plain.state_dict())
    x = wg.rand(shape)
    assert (lazy.eval()(x) == plain.eval()(x)).all()
    assert not lazy._forward_pre_hooks and not lazy._load_state_dict_pre_hooks


@pytest.mark.parametrize(("source", "shape", "becomes"), LAYERS)
def test_states_give_shapes_and_lazy_states_fit_lazy_layers(source, shape, becomes):
    lazy, plain = made(source), made(becomes)
    lazy.load_state_dict(made(source).state_dict())
    lazy.load_state_dict(plain.state_dict())
    assert not any(map(is_lazy, lazy.parameters()))
    assert (lazy.eval()(wg.ones(shape)) == plain.eval()(wg.ones(shape))).all()


def test_the_dtype_and_the_requirement_of_gradients_are_kept_until_there_are_values():
    layer = nn.LazyBatchNorm1d().double()
    assert is_lazy(layer.weight) and is_lazy(layer.running_mean)
    layer(wg.ones(2, 3, dtype=wg.float64))
    assert layer.weight.dtype is layer.running_mean.dtype is wg.float64
    frozen = UninitializedParameter(requires_grad=False, dtype=wg.float64)
    frozen.materialize((2, 2))
    assert not frozen.requires_grad and frozen.dtype is wg.float64


def test_copies_and_pickles_wait_too():
    layer = copy.deepcopy(nn.LazyLinear(3))
    assert layer.has_uninitialized_params()
    assert layer(wg.ones(2, 4)).shape == (2, 3) and type(layer) is nn.Linear
    again = pickle.loads(pickle.dumps(UninitializedParameter(requires_grad=False)))
    assert is_lazy(again) and not again.requires_grad
    assert repr(again) == "<UninitializedParameter>"


def test_within_a_network_each_layer_sees_its_own_input():
    network = nn.Sequential(nn.LazyConv2d(4, 3), nn.LazyBatchNorm2d(), nn.ReLU(), nn.Flatten(), nn.LazyLinear(2))
    network(wg.rand(2, 3, 5, 5)).sum().backward()
    assert network[4].in_features == 36 and network[0].weight.grad is not None
    assert isinstance(nn.LazyLinear(2), LazyModuleMixin) and not isinstance(network[4], LazyModuleMixin)


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda p: p.shape, RuntimeError, "Can't access the shape of an uninitialized parameter or buffer"),
        (lambda p: p.share_memory_(), RuntimeError, "Can't share memory on an uninitialized parameter"),
        (lambda p: p.sum(), ValueError, "Attempted to use an uninitialized parameter in sum"),
        (lambda p: p + 1, ValueError, "Attempted to use an uninitialized parameter"),
        (lambda p: p.view(2), ValueError, "Call `forward` with a dummy batch"),
    ],
)
@pytest.mark.parametrize("kind", [UninitializedParameter, UninitializedBuffer])
def test_what_has_no_values_says_so(kind, call, error, says):
    with pytest.raises(error, match=says):
        call(kind())


def test_bad_first_inputs_are_refused():
    with pytest.raises(ValueError, match="in_channels must be divisible by groups"):
        nn.LazyConv1d(4, 2, groups=2)(wg.ones(1, 3, 4))
    with pytest.raises(RuntimeError, match=r"Expected 3D \(unbatched\) or 4D \(batched\) input to LazyConv2d"):
        nn.LazyConv2d(4, 2)(wg.ones(3, 4))
    with pytest.raises(NotImplementedError, match="initialize_parameters is not implemented for Waiting"):

        class Waiting(LazyModuleMixin, nn.Module):
            pass

        Waiting()(wg.ones(1))
    loaded = nn.LazyLinear(3)
    loaded.load_state_dict(nn.Linear(4, 3).state_dict())
    with pytest.raises(AssertionError, match="The in_features inferred from input: 5 is not equal"):
        loaded(wg.ones(2, 5))
    with pytest.raises(RuntimeError, match="Can't access the shape"):
        nn.Linear(4, 3).load_state_dict(nn.LazyLinear(3).state_dict())


def test_batch_normalisations_become_synchronised_ones():
    network = nn.Sequential(nn.Conv1d(2, 3, 1), nn.Sequential(nn.BatchNorm1d(3, momentum=None)), nn.InstanceNorm1d(3))
    changed = nn.SyncBatchNorm.convert_sync_batchnorm(network)
    assert type(changed[1][0]) is nn.SyncBatchNorm and type(changed[2]) is nn.InstanceNorm1d
    plain = nn.BatchNorm1d(3, momentum=None)
    x = wg.rand(4, 3, 5)
    assert (changed[1][0](x) == plain(x)).all()
    assert changed[1][0].running_mean.tolist() == plain.running_mean.tolist()
    with pytest.raises(ValueError, match=r"expected at least 2D input \(got 1D input\)"):
        nn.SyncBatchNorm(3)(wg.ones(3))
    with pytest.raises(ValueError, match="number of input channels should be non-zero"):
        nn.SyncBatchNorm(3)(wg.ones(2, 0))
    assert not isinstance(nn.InstanceNorm1d(3), nn.modules.batchnorm._BatchNorm)
    with pytest.raises(ValueError, match=r"at dim=1 to match num_features \(3\), but got: 4"):
        nn.InstanceNorm3d(3, affine=True)(wg.ones(1, 4, 2, 2, 2))
    with pytest.warns(UserWarning, match="input's size at dim=0 does not match num_features"):
        nn.InstanceNorm1d(3)(wg.rand(4, 2))


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda layer: pickle.loads(pickle.dumps(layer))])
@pytest.mark.parametrize(("lazy", "shape", "plain"), LAYERS)
def test_a_copy_becomes_an_ordinary_module_on_its_own(copied, lazy, shape, plain):
    layer = eval(f"nn.{lazy}")
    twin = copied(layer)
    kind = eval(f"nn.{plain}")
    assert type(twin) is type(layer) and twin.has_uninitialized_params()
    x = wg.rand(*shape)
    first = twin(x)
    assert type(twin) is type(kind) and type(layer) is not type(kind) and layer.has_uninitialized_params()
    assert twin(x).shape == first.shape and not twin._forward_pre_hooks and not twin._load_state_dict_pre_hooks
    again = copied(twin)
    assert type(again) is type(kind) and again(x).shape == first.shape
    layer(x)
    assert type(layer) is type(kind)


def test_the_handle_of_a_copy_removes_the_hook_of_the_copy():
    layer = nn.Linear(2, 2)
    layer.handle = layer.register_forward_pre_hook(print)
    for twin in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        later = twin.register_forward_pre_hook(print)
        assert later.id > twin.handle.id
        twin.handle.remove()
        assert len(twin._forward_pre_hooks) == 1 and len(layer._forward_pre_hooks) == 1
