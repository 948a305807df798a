"""Groups, state and refusals of optimisers. The texts are torch's."""

import copy
import pickle

import pytest

import wengert as wg
from wengert import nn, optim
from wengert.nn import Parameter


def parameter():
    return Parameter(wg.ones(2))


def test_an_optimiser_prints_its_groups_as_in_torch():
    assert repr(optim.SGD([parameter()], momentum=0.9)) == (
        "SGD (\nParameter Group 0\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n"
        "    lr: 0.001\n    maximize: False\n    momentum: 0.9\n    nesterov: False\n    weight_decay: 0\n)"
    )


def test_the_state_is_in_torchs_form():
    weights = [parameter(), parameter()]
    optimiser = optim.AdamW([{"params": weights[:1], "lr": 2}, {"params": weights[1]}])
    for each in weights:
        each.grad = wg.ones(2)
    optimiser.step()
    state = optimiser.state_dict()
    assert list(state) == ["state", "param_groups"]
    assert list(state["state"]) == [0, 1]
    assert repr(state["state"][0]) == (
        "{'step': tensor(1.), 'exp_avg': tensor([0.1000, 0.1000]), 'exp_avg_sq': tensor([0.0010, 0.0010])}"
    )
    assert state["param_groups"][1] == {
        "lr": 0.001,
        "betas": (0.9, 0.999),
        "eps": 1e-08,
        "weight_decay": 0.01,
        "amsgrad": False,
        "maximize": False,
        "foreach": None,
        "capturable": False,
        "differentiable": False,
        "fused": None,
        "decoupled_weight_decay": True,
        "params": [1],
    }
    assert state["param_groups"][0]["lr"] == 2


def test_loaded_state_is_a_copy_in_the_dtype_of_the_parameter():
    one, other = parameter(), Parameter(wg.ones(2, dtype=wg.float64))
    source, target = optim.Adam([one]), optim.Adam([other])
    one.grad = wg.ones(2)
    source.step()
    target.load_state_dict(source.state_dict())
    state = target.state[other]
    assert state["exp_avg"].dtype == wg.float64
    assert state["step"].dtype == wg.float32
    assert state["exp_avg"] is not source.state[one]["exp_avg"]
    state["step"].fill_(9)
    assert source.state[one]["step"].item() == 1


def test_adamw_decays_the_parameters_themselves_whatever_adam_saved():
    weight = parameter()
    optimiser = optim.AdamW([weight])
    optimiser.load_state_dict(optim.Adam([weight]).state_dict())
    assert optimiser.param_groups[0]["decoupled_weight_decay"] is True


def test_both_betas_of_adam_are_floats_or_both_are_tensors():
    for betas in ((0, 0.9), (wg.tensor(0.5), 0.9)):
        with pytest.raises(ValueError, match="betas must be either both floats or both Tensors"):
            optim.Adam([parameter()], betas=betas)
    optim.Adam([parameter()], betas=(wg.tensor(0.5), wg.tensor(0.9)))


def test_states_of_another_form_are_refused():
    optimiser = optim.SGD([parameter()])
    with pytest.raises(ValueError, match="loaded state dict has a different number of parameter groups"):
        optimiser.load_state_dict(optim.SGD([{"params": parameter()}, {"params": parameter()}]).state_dict())
    with pytest.raises(ValueError, match="contains a parameter group that doesn't match the size of optimizer's group"):
        optimiser.load_state_dict(optim.SGD([parameter(), parameter()]).state_dict())


def test_names_of_parameters_are_kept():
    optimiser = optim.SGD(nn.Linear(2, 1).named_parameters())
    assert optimiser.state_dict()["param_groups"][0]["param_names"] == ["weight", "bias"]
    assert all(isinstance(each, Parameter) for each in optimiser.param_groups[0]["params"])


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: optim.SGD([]), ValueError, "optimizer got an empty parameter list"),
        (
            lambda: optim.SGD(parameter()),
            TypeError,
            "should be an iterable of Tensors or dicts, but got torch.FloatTensor",
        ),
        (lambda: optim.SGD([3]), TypeError, "optimizer can only optimize Tensors, but one of the params is int"),
        (lambda: optim.SGD([parameter() * 2]), ValueError, "can't optimize a non-leaf Tensor"),
        (lambda: optim.SGD([{"params": {parameter()}}]), TypeError, "need to be organized in ordered collections"),
        (lambda: optim.SGD([parameter()], lr=-1), ValueError, "Invalid learning rate: -1"),
        (lambda: optim.SGD([parameter()], lr=float("nan")), ValueError, "Invalid learning rate: nan"),
        (lambda: optim.SGD([parameter()], momentum=-1), ValueError, "Invalid momentum value: -1"),
        (lambda: optim.SGD([parameter()], weight_decay=-1), ValueError, "Invalid weight_decay value: -1"),
        (lambda: optim.SGD([parameter()], nesterov=True), ValueError, "requires a momentum and zero dampening"),
        (
            lambda: optim.SGD([parameter()], fused=True, differentiable=True),
            RuntimeError,
            "`fused` does not support `differentiable`",
        ),
        (
            lambda: optim.Adam([parameter()], fused=True, foreach=True),
            RuntimeError,
            "`fused` and `foreach` cannot be `True` together.",
        ),
        (lambda: optim.Adam([parameter()], betas=(1.0, 0.9)), ValueError, "Invalid beta parameter at index 0: 1.0"),
        (lambda: optim.Adam([parameter()], betas=(0.9, 1.0)), ValueError, "Invalid beta parameter at index 1: 1.0"),
        (lambda: optim.Adam([parameter()], eps=-1), ValueError, "Invalid epsilon value: -1"),
        (lambda: optim.RMSprop([parameter()], alpha=-1), ValueError, "Invalid alpha value: -1"),
        (lambda: optim.Adagrad([parameter()], lr_decay=-1), ValueError, "Invalid lr_decay value: -1"),
    ],
)
def test_bad_parameters_and_options_are_refused(make, error, says):
    with pytest.raises(error, match=says):
        make()


def test_groups_can_be_added_but_no_parameter_twice():
    shared = parameter()
    optimiser = optim.SGD([shared], lr=0.5)
    optimiser.add_param_group({"params": [parameter()], "lr": 0.1})
    assert [group["lr"] for group in optimiser.param_groups] == [0.5, 0.1]
    with pytest.raises(ValueError, match="some parameters appear in more than one parameter group"):
        optimiser.add_param_group({"params": shared})
    with pytest.raises(TypeError, match="param_group must be a dict, but got <class 'int'>"):
        optimiser.add_param_group(3)


def test_gradients_are_set_to_none_or_to_zero():
    weight = parameter()
    optimiser = optim.SGD([weight])
    weight.grad = wg.ones(2)
    optimiser.zero_grad(set_to_none=False)
    assert weight.grad.tolist() == [0, 0]
    optimiser.zero_grad()
    assert weight.grad is None


def test_an_optimiser_can_be_copied_with_its_model():
    model = nn.Linear(1, 1)
    optimiser = optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for made in (copy.deepcopy((model, optimiser)), pickle.loads(pickle.dumps((model, optimiser)))):
        other, stepper = made
        assert stepper.param_groups[0]["params"][0] is other.weight
        other.weight.grad = wg.ones(1, 1)
        before = other.weight.item()
        stepper.step()
        assert other.weight.item() == pytest.approx(before - 0.1)


def test_an_optimiser_of_ones_own_needs_a_step_only():
    class Sign(optim.Optimizer):
        def __init__(self, params, lr=optim.optimizer.required):
            super().__init__(params, {"lr": lr})

        @wg.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for each in group["params"]:
                    each.sub_(each.grad.sign() * group["lr"])

    with pytest.raises(ValueError, match="didn't specify a value of required optimization parameter lr"):
        Sign([parameter()])
    weight = parameter()
    weight.grad = wg.tensor([2.0, -3.0])
    Sign([weight], lr=0.5).step()
    assert weight.tolist() == [0.5, 1.5]
    with pytest.raises(NotImplementedError, match=r"Optimizer does not define step\(\)"):
        optim.Optimizer([parameter()], {}).step()
