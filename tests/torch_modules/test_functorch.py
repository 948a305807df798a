"""`functorch`: the functions of `func` under their older names, and modules as functions of tuples."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest
from wengert.functorch import experimental

import wengert as wg
from wengert import func, functorch
from wengert.testing import assert_close

pytestmark = pytest.mark.filterwarnings("ignore:We've integrated functorch:FutureWarning")


class Tied(wg.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = wg.nn.Linear(2, 2)
        self.again = self.first
        self.norm = wg.nn.BatchNorm1d(2)

    def forward(self, x):
        return self.norm(self.again(self.first(x)))


@pytest.mark.parametrize(
    "name", ["functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"]
)
def test_functions_of_func_warn_once_a_call_and_tell_where_they_lie(name):
    x = wg.tensor([1.0, 2.0])
    arguments = {"jvp": [(x,), (x,)], "vjp": [x]}.get(name)

    def run(module):
        made = getattr(module, name)
        if arguments is not None:
            return made(lambda a: (a**3).sum(), *arguments)[0]
        return made(lambda a: (a**3).sum())(x)

    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        found = run(functorch)
    assert [(each.category, each.filename) for each in noted] == [(FutureWarning, __file__)]
    assert f"`torch.{'' if name == 'vmap' else 'func.'}{name}` instead" in str(noted[0].message)
    assert_close(found, run(func))


def test_a_module_is_a_function_of_copies_of_its_parameters():
    model = wg.nn.Sequential(wg.nn.Linear(2, 3), wg.nn.Tanh())
    functional, params = functorch.make_functional(model)
    x = wg.tensor([1.0, 2.0])
    assert functional.param_names == ("0.weight", "0.bias") and isinstance(functional, functorch.FunctionalModule)
    assert all(each.requires_grad and each is not own for each, own in zip(params, model.parameters()))
    assert_close(functional(params, x), model(x))
    grads = functorch.grad(lambda values: functional(values, x).sum())(params)
    expected = wg.autograd.grad(model(x).sum(), tuple(model.parameters()))
    assert_close(grads, expected)
    _, still = functorch.make_functional(model, disable_autograd_tracking=True)
    assert not any(each.requires_grad for each in still) and all(each.requires_grad for each in model.parameters())


def test_tensors_of_several_names_are_taken_once_and_buffers_are_written_to():
    model = Tied()
    with pytest.raises(RuntimeError, match="`model` has buffers"):
        functorch.make_functional(model)
    functional, params, buffers = functorch.make_functional_with_buffers(model)
    assert functional.param_names == ("first.weight", "first.bias", "norm.weight", "norm.bias")
    assert functional.all_names_map["first.weight"] == ["first.weight", "again.weight"]
    x = wg.tensor([[1.0, 2.0], [3.0, 5.0]])
    assert_close(functional(params, buffers, x), model(x))
    assert buffers[2].item() == model.norm.num_batches_tracked.item() == 1
    with pytest.raises(RuntimeError, match="takes 4 parameters"):
        functional(params[:1], buffers, x)


def test_modules_of_one_kind_are_one_function_of_stacked_states():
    models, x = [wg.nn.Linear(2, 3) for _ in range(3)], wg.tensor([1.0, 2.0])
    functional, params, buffers = functorch.combine_state_for_ensemble(models)
    assert buffers == () and not any(each.requires_grad for each in params)
    found = functorch.vmap(functional, in_dims=(0, 0, None))(params, buffers, x)
    assert_close(found, wg.stack([each(x) for each in models]).detach())
    for wrong in ([], [models[0], wg.nn.ReLU()], [models[0], wg.nn.Linear(2, 3).eval()]):
        with pytest.raises(RuntimeError, match="combine_state_for_ensemble: Expected"):
            functorch.combine_state_for_ensemble(wrong)


@pytest.mark.parametrize("chunks", [1, 2, 3, 8])
def test_a_batch_is_mapped_in_parts(chunks):
    x, y = wg.arange(10.0).reshape(5, 2), wg.ones(2)
    found = experimental.chunk_vmap(lambda a, b: (a["x"] * b).sum(), in_dims=({"x": 0}, None), chunks=chunks)(
        {"x": x}, y
    )
    assert_close(found, x.sum(1))


def test_import_functorch_gives_it():
    program = (
        "import wengert; wengert.install_as_torch(); import functorch; from functorch import make_functional, vmap; "
        "from functorch.experimental import chunk_vmap; print(functorch is wengert.functorch, functorch.__version__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", wg.torch_version.__version__]


@pytest.mark.parametrize("chunks", [0, -1])
def test_there_is_at_least_one_part(chunks):
    with pytest.raises(RuntimeError, match="chunk expects `chunks` to be greater than 0"):
        experimental.chunk_vmap(lambda x: x.sum(), chunks=chunks)(wg.ones(4, 2))
