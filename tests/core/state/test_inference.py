"""Inference tensors: which tensors are, what may be done with them outside their mode, and what is refused."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import wengert as wg
from wengert._core import flags

SAVED = r"Inference tensors cannot be saved for backward"
WRITTEN = r"Inplace update to inference tensor outside InferenceMode is not allowed"
VERSION = r"Inference tensors do not track version counter"


@wg.inference_mode()
def made(*shape):
    return wg.ones(*(shape or (3,)))


@wg.inference_mode()
def made_leaf():
    return wg.ones(3, requires_grad=True)


MAKERS = {
    "ones": lambda: wg.ones(2),
    "tensor": lambda: wg.tensor([1.0]),
    "a scalar tensor": lambda: wg.tensor(1.0),
    "from_numpy": lambda: wg.from_numpy(np.ones(2)),
    "arange": lambda: wg.arange(3),
    "randn": lambda: wg.randn(2),
    "Tensor(2)": lambda: wg.Tensor(2),
    "Tensor([1, 2])": lambda: wg.Tensor([1, 2]),
    "ones_like": lambda: wg.ones_like(wg.ones(2)),
    "cat": lambda: wg.cat([wg.ones(2), wg.ones(2)]),
    "sum": lambda: wg.ones(2).sum(),
    "comparison": lambda: wg.ones(2) > 0,
    "index": lambda: wg.ones(3)[[0, 1]],
    "max, indices": lambda: wg.ones(3).max(0).indices,
    "Parameter": lambda: wg.nn.Parameter(wg.ones(2)),
    "a module's parameter": lambda: wg.nn.Linear(2, 2).weight,
    "deepcopy": lambda: copy.deepcopy(wg.ones(2)),
    "copy": lambda: copy.copy(wg.ones(2)),
    "unpickled": lambda: pickle.loads(pickle.dumps(wg.ones(2))),
}


@pytest.mark.parametrize("name", MAKERS)
def test_tensors_made_inside_are_inference_tensors(name):
    with wg.inference_mode():
        inside = MAKERS[name]()
    assert inside.is_inference() and wg.is_inference(inside)
    assert not MAKERS[name]().is_inference()


def test_tensors_made_of_normal_ones_inside_are_inference_tensors_and_have_no_history():
    x, y = wg.ones(3, requires_grad=True), wg.ones(3)
    with wg.inference_mode():
        results = [
            x * y,
            x.exp(),
            x + 1,
            x @ y,
            x.clone(),
            x.double(),
            -x,
            x.sum(),
            y.sqrt(),
            *x.max(0),
            x.to(wg.float64),
        ]
    for each in results:
        assert each.is_inference() and not each.requires_grad and each.grad_fn is None and each.is_leaf


def test_views_of_normal_tensors_inside_are_normal():
    x = wg.ones(2, 3)
    with wg.inference_mode():
        views = [
            x[0],
            x.view(6),
            x.t(),
            x.expand(4, 2, 3),
            x.reshape(3, 2),
            *x.unbind(),
            *x.split(1),
            x.squeeze(),
            x[None],
        ]
        same = [x.contiguous(), x.to(wg.float32), x.detach(), x.data, x.requires_grad_(False)]
    assert not any(each.is_inference() for each in (*views, *same))
    assert all(each._is_view() for each in views)


def test_views_of_inference_tensors_are_inference_tensors_inside_and_outside():
    x = made(2, 3)
    with wg.inference_mode():
        inside = [x[0], x.view(6), *x.unbind(), x.detach(), x.data]
    with wg.inference_mode(), wg.inference_mode(False):
        nested = [x[0]]
    outside = [
        x[0],
        x.view(6),
        *x.unbind(),
        *x.split(1),
        x.reshape(3, 2),
        x.detach(),
        x.data,
        x.contiguous(),
        x.to(x.dtype),
    ]
    for each in (*inside, *nested, *outside):
        assert each.is_inference() and not each._is_view() and each._base is None


def test_what_is_computed_outside_from_inference_tensors_is_normal():
    x = made()
    for each in (x * 2, x + x, x.exp(), x.sum(), x.clone(), x.double(), x[[0, 1]], copy.deepcopy(x), wg.cat([x, x])):
        assert not each.is_inference() and each._version == 0


def test_an_inference_tensor_has_no_version():
    x = made()
    with pytest.raises(RuntimeError, match=VERSION):
        _ = x._version
    with wg.inference_mode(), pytest.raises(RuntimeError, match=VERSION):
        _ = x._version
    assert x.clone()._version == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda n, i: n * i,
        lambda n, i: i * n,
        lambda n, i: n @ i,
        lambda n, i: n / i,
        lambda n, i: (n * 1).mul_(i),
        lambda n, i: wg.nn.functional.linear(i[None], n[None]),
        lambda n, i: n * i[:],
        lambda n, i: wg.where(wg.tensor(True), n, i) * i,
    ],
    ids=["mul", "mul, swapped", "matmul", "div", "mul_", "linear", "view of it", "where, then mul"],
)
def test_inference_tensors_cannot_be_saved_for_backward(call):
    with pytest.raises(RuntimeError, match=SAVED):
        call(wg.ones(3, requires_grad=True), made())


def test_nothing_is_written_where_an_inference_tensor_would_have_to_be_saved():
    x = wg.ones(3, requires_grad=True) * 2
    with pytest.raises(RuntimeError, match=SAVED):
        x.mul_(made())
    assert x.tolist() == [2.0, 2.0, 2.0] and x._version == 0 and x.grad_fn.name() == "MulBackward0"


def test_pack_hooks_are_not_asked_for_inference_tensors():
    asked = []
    with (
        wg.autograd.graph.saved_tensors_hooks(lambda tensor: asked.append(tensor) or tensor, lambda kept: kept),
        pytest.raises(RuntimeError, match=SAVED),
    ):
        made() * wg.ones(3, requires_grad=True)
    assert not any(each.is_inference() for each in asked)


def test_inference_tensors_enter_computations_that_save_nothing_of_them():
    n, i = wg.ones(3, requires_grad=True), made()
    total = (n + i).sum() + wg.cat([i, n]).sum() + wg.where(i > 0, n, i).sum()
    total.backward()
    assert n.grad.tolist() == [3.0, 3.0, 3.0]
    with wg.no_grad():
        assert (n * i).tolist() == [1.0, 1.0, 1.0]


def test_requires_grad_of_an_inference_tensor_can_be_set_inside_only():
    x = made()
    for change in (lambda: x.requires_grad_(), lambda: setattr(x, "requires_grad", True)):
        with pytest.raises(RuntimeError, match="Setting requires_grad=True on inference tensor outside InferenceMode"):
            change()
    assert x.requires_grad_(False) is x and not x.requires_grad
    x.requires_grad = False
    with wg.inference_mode():
        assert x.requires_grad_().requires_grad
        normal = wg.ones(3)
    assert x.requires_grad and normal.is_inference()


def test_a_normal_tensor_can_be_told_inside_to_require_a_gradient():
    x = wg.ones(3)
    with wg.inference_mode():
        x.requires_grad_()
    assert (x * 2).requires_grad


def test_a_leaf_made_inside_takes_part_in_what_saves_nothing_of_it():
    leaf = made_leaf()
    assert leaf.requires_grad and leaf.is_leaf and leaf.is_inference()
    with wg.inference_mode():
        assert not (leaf * 2).requires_grad
    (leaf * 2).sum().backward()
    assert leaf.grad.tolist() == [2.0, 2.0, 2.0] and not leaf.grad.is_inference()


def test_a_call_that_gets_only_inference_tensors_is_not_recorded():
    leaf = made_leaf()
    assert not any(each.requires_grad for each in (leaf * leaf, leaf.exp(), leaf.sum(), leaf[1:], *leaf.unbind()))
    with pytest.raises(RuntimeError, match=SAVED):
        leaf * wg.ones(3, requires_grad=True)


def test_a_backward_pass_inside_makes_inference_gradients_and_outside_normal_ones():
    for mode, wanted in ((wg.inference_mode, True), (wg.enable_grad, False)):
        x = wg.ones(3, requires_grad=True)
        y = (x * x).sum()
        with mode():
            y.backward()
        assert x.grad.is_inference() is wanted and x.grad.tolist() == [2.0, 2.0, 2.0]
        y = (x * x).sum()
        with mode():
            (found,) = wg.autograd.grad(y, x)
        assert found.is_inference() is wanted


def test_nothing_computed_inside_has_a_backward_pass():
    x = wg.ones(3, requires_grad=True)
    with wg.inference_mode():
        y = (x * x).sum()
        for run in (y.backward, lambda: wg.autograd.grad(y, x)):
            with pytest.raises(RuntimeError, match="does not require grad and does not have a grad_fn"):
                run()


def test_an_inference_tensor_can_be_a_cotangent_unless_it_must_be_saved():
    x = wg.ones(3, requires_grad=True)
    (x * 2).backward(made())
    assert x.grad.tolist() == [2.0, 2.0, 2.0] and not x.grad.is_inference()
    assert not wg.autograd.grad(x * 2, x, made(), create_graph=True)[0].is_inference()
    with pytest.raises(RuntimeError, match=SAVED):
        wg.autograd.grad(x * x, x, made(), create_graph=True)


def test_a_gradient_made_inside_is_not_added_to_outside():
    x = wg.ones(3, requires_grad=True)
    x.grad = made()
    with pytest.raises(RuntimeError, match=WRITTEN):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [1.0, 1.0, 1.0]
    y = (x * 2).sum()
    with wg.inference_mode():
        y.backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0]


def test_a_tensor_whose_data_is_an_inference_tensor_becomes_one():
    x = wg.zeros(3)
    x.data = made()
    assert x.is_inference()
    x.data = wg.ones(3)
    assert not x.is_inference() and x.add_(1).tolist() == [2.0, 2.0, 2.0]


def test_copies_made_outside_are_normal():
    x = made()
    for each in (copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x)), wg.from_numpy(x.numpy())):
        assert not each.is_inference()


def test_parameters_of_a_normal_tensor_made_inside_are_normal():
    x = wg.ones(3)
    with wg.inference_mode():
        parameter = wg.nn.Parameter(x)
    assert not parameter.is_inference() and parameter.requires_grad


def test_a_model_runs_inside_and_trains_outside():
    model = wg.nn.Sequential(wg.nn.Linear(3, 4), wg.nn.BatchNorm1d(4), wg.nn.ReLU(), wg.nn.Linear(4, 1))
    with wg.inference_mode():
        first = model(wg.randn(5, 3))
    assert first.is_inference() and not first.requires_grad
    model(wg.randn(5, 3)).sum().backward()
    assert all(each.grad is not None for each in model.parameters())
    with wg.inference_mode():
        wg.optim.SGD(model.parameters(), lr=0.1).step()
    model(wg.randn(5, 3)).sum().backward()


def test_is_inference_of_something_else_is_refused():
    with pytest.raises(TypeError, match=r"is_inference\(\): argument 'input' \(position 1\) must be Tensor, not int"):
        wg.is_inference(3)


def test_custom_functions_make_inference_tensors_inside_and_refuse_to_save_them_outside():
    class Double(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(y)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2, None

    with wg.inference_mode():
        assert Double.apply(wg.ones(3), wg.ones(3)).is_inference()
    with pytest.raises(RuntimeError, match=SAVED):
        Double.apply(wg.ones(3, requires_grad=True), made())


def test_inside_a_call_takes_the_plain_way(monkeypatch):
    from wengert._core.calls import unusual

    monkeypatch.setattr(unusual, "call", None)
    x = wg.ones(3, requires_grad=True)
    with wg.inference_mode():
        y = (x * made() + 1).exp().sum()
        y.add_(1)
    assert y._flags_ == flags.INFERENCE
