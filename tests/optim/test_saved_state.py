"""State that earlier versions saved, and what optimisers refuse."""

import copy
import pickle

import pytest

import wengert as wg

LATER = ("foreach", "differentiable", "maximize", "capturable", "fused", "amsgrad", "decoupled_weight_decay")
WITH_COUNTS = ("Adadelta", "Adagrad", "Adam", "AdamW", "Adamax", "ASGD", "NAdam", "RAdam", "RMSprop", "Rprop")


def stepped(kind, **options):
    parameter = wg.nn.Parameter(wg.ones(2, 3))
    made = getattr(wg.optim, kind)([parameter], **options)
    parameter.grad = wg.full((2, 3), 0.5)
    made.step()
    return made, parameter


@pytest.mark.parametrize("kind", (*WITH_COUNTS, "SGD"))
def test_groups_without_later_options_do_what_was_done_before(kind):
    made, _ = stepped(kind, maximize=True)
    saved = made.state_dict()
    for group in saved["param_groups"]:
        for name in LATER:
            group.pop(name, None)
    other, _ = stepped(kind, maximize=True)
    other.load_state_dict(saved)
    (group,) = other.param_groups
    assert group["maximize"] is False and group["foreach"] is None
    assert group.get("decoupled_weight_decay", False) is (kind == "AdamW")
    other.step()


@pytest.mark.parametrize("kind", WITH_COUNTS)
def test_counts_that_were_numbers_become_tensors(kind):
    made, _ = stepped(kind)
    saved = made.state_dict()
    for name in ("step", "eta", "mu", "mu_product"):
        if name in saved["state"][0]:
            saved["state"][0][name] = saved["state"][0][name].item()
    other, parameter = stepped(kind)
    other.load_state_dict(saved)
    assert {name for name, each in other.state[parameter].items() if not isinstance(each, wg.Tensor)} == set()
    other.step()
    assert other.state[parameter]["step"].item() == 2


def test_loading_goes_through_setstate():
    class Own(wg.optim.SGD):
        def __setstate__(self, state):
            super().__setstate__(state)
            for group in self.param_groups:
                group.setdefault("trust", 0.25)

    made = Own([wg.nn.Parameter(wg.ones(2))])
    calls = []
    made.register_step_pre_hook(lambda *args: calls.append(args))
    made.load_state_dict(made.state_dict())
    assert made.param_groups[0]["trust"] == 0.25
    made.step()
    assert len(calls) == 1  # hooks stay
    assert copy.deepcopy(made).param_groups[0]["trust"] == 0.25


@pytest.mark.parametrize("change", (copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))))
def test_copies_know_whether_steps_are_recorded(change):
    made, _ = stepped("Adafactor")
    assert "differentiable" not in made.defaults
    assert change(made).defaults["differentiable"] is False


def test_lbfgs_keeps_its_step_as_it_was_given():
    for lr in (1, wg.tensor(0.5)):
        parameter = wg.nn.Parameter(wg.ones(3))
        made = wg.optim.LBFGS([parameter], lr=lr)

        def closure(parameter=parameter, made=made):
            made.zero_grad()
            loss = (parameter**4).sum()
            loss.backward()
            return loss

        made.step(closure)
        assert made.state[parameter]["t"] is lr
    made.param_groups.append({"params": []})
    with pytest.raises(AssertionError, match="Expected exactly one param_group, but got 2"):
        made.step(closure)


def test_rprop_keeps_step_sizes_as_gradients_lie():
    parameter = wg.nn.Parameter(wg.ones(2, 3).t())
    parameter.grad = wg.ones(3, 2)
    made = wg.optim.Rprop([parameter])
    made.step()
    assert made.state[parameter]["step_size"].stride() == (2, 1)
    assert made.state[parameter]["prev"].stride() == (1, 3)


@pytest.mark.parametrize(("kind", "says"), (("SGD", "`_fused_sgd` does not support"), ("Adagrad", "`fused` does not")))
def test_fused_steps_refuse_sparse_gradients(kind, says):
    parameter = wg.nn.Parameter(wg.ones(2, 3))
    parameter.grad = wg.ones(2, 3).to_sparse()
    made = getattr(wg.optim, kind)([parameter], fused=True)
    with pytest.raises(RuntimeError, match=says):
        made.step()
    assert parameter.tolist() == [[1.0] * 3] * 2


@pytest.mark.parametrize("kind", ("Adam", "AdamW"))
def test_factors_that_are_tensors(kind):
    given = [wg.nn.Parameter(wg.ones(2))]
    pair = wg.tensor(0.9), wg.tensor(0.99)
    with pytest.raises(ValueError, match=r"betas\[0\] as a Tensor is not supported for capturable=False and foreach"):
        getattr(wg.optim, kind)(given, betas=pair, foreach=True)
    made = getattr(wg.optim, kind)(given, betas=(wg.tensor([0.9]), wg.tensor(0.99)))
    assert [each.shape for each in made.defaults["betas"]] == [(), ()]


def test_sparse_adam_refuses_sparse_parameters():
    with pytest.raises(ValueError, match=r"Sparse params at indices \[\[0, 1\]\]: SparseAdam requires dense parameter"):
        wg.optim.SparseAdam([wg.ones(2), wg.zeros(3).to_sparse()])
