"""Excluding subgraphs from backward (从后向中排除子图): `volatile`, of the first generation of the interface."""

from __future__ import annotations

import warnings

from tests.mechanics.common import refused


def volatile(torch, *shape):
    """A volatile Variable; the warning that points to `no_grad` is looked at in a test of its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return torch.autograd.Variable(torch.randn(*shape), volatile=True)


def is_volatile(tensor):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tensor.volatile


def creator(tensor):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tensor.creator


def small_model(torch):
    nn = torch.nn
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 5))


def test_every_variable_has_the_flags_requires_grad_and_volatile(torch):
    """ "Every Variable has two flags: requires_grad and volatile." """
    x = torch.autograd.Variable(torch.randn(2, 2))
    assert x.requires_grad is False and is_volatile(x) is False
    assert is_volatile(volatile(torch, 2)) is True


def test_volatile_determines_that_requires_grad_is_false(torch):
    """ "volatile also determines that requires_grad is False." """
    assert volatile(torch, 2).requires_grad is False

    def both():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.autograd.Variable(torch.randn(2), requires_grad=True, volatile=True)

    refused(both, "volatile", kind=(RuntimeError, ValueError))


def test_a_single_volatile_input_makes_the_output_volatile(torch):
    """ "If there's even a single volatile input to an operation, its output is also going to be volatile." """
    v, w = volatile(torch, 3), torch.randn(3, requires_grad=True)
    for result in (v + w, w * v, torch.cat([w, v]), (w * 2).exp() @ v, v.sum(), v[0], torch.where(w > 0, w, v)):
        assert is_volatile(result) is True and result.requires_grad is False and result.grad_fn is None


def test_volatility_spreads_easier_than_not_requiring_gradient(torch):
    """ "... you only need a single volatile leaf to have a volatile output, while you need all leaves to not require
    gradient to have an output that doesn't require gradient." """
    w, x = torch.randn(3, requires_grad=True), torch.randn(3)
    assert (w + x).requires_grad is True
    deep = ((volatile(torch, 3) + x) * 2 + w).tanh() * w
    assert is_volatile(deep) and not deep.requires_grad


def test_a_volatile_input_needs_no_change_of_the_model(torch):
    """ "Using volatile flag you don't need to change any settings of your model parameters to use it for
    inference." """
    model = small_model(torch)
    regular_input = torch.autograd.Variable(torch.randn(1, 3, 6, 6))
    volatile_input = volatile(torch, 1, 3, 6, 6)
    assert model(regular_input).requires_grad is True
    assert model(volatile_input).requires_grad is False
    assert is_volatile(model(volatile_input)) is True
    assert model(volatile_input).grad_fn is None
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_creator_of_a_volatile_result_is_none(torch):
    """ ">>> model(volatile_input).creator is None: True" """
    assert creator(small_model(torch)(volatile(torch, 1, 3, 6, 6))) is None


def test_no_intermediate_state_is_saved_for_a_volatile_input(torch):
    """ "It's enough to create a volatile input, and this will ensure that no intermediate states are saved." """
    saved = []
    v, w = volatile(torch, 3), torch.randn(3, requires_grad=True)
    with torch.autograd.graph.saved_tensors_hooks(lambda tensor: saved.append(tensor) or tensor, lambda kept: kept):
        ((v * w).exp() * w).sum()
    assert saved == []


def test_backward_of_a_volatile_result_is_refused(torch):
    """ "Volatile is recommended for purely inference mode, when you're sure you won't be even calling .backward()." """
    refused(lambda: (volatile(torch, 1) * 2).backward(), "volatile")


def test_volatile_warns_and_points_to_no_grad(torch):
    """The first generation is deprecated: the warning says what took its place."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch.autograd.Variable(torch.randn(2), volatile=True)
    assert any("no_grad" in str(each.message) for each in caught)
    assert any(issubclass(each.category, DeprecationWarning) for each in caught)


def test_an_in_place_write_of_a_volatile_value_makes_the_target_volatile(torch):
    """ "If there's even a single volatile input to an operation, its output is also going to be volatile." """
    x = torch.zeros(3)
    x.add_(volatile(torch, 3))
    assert is_volatile(x) is True and x.requires_grad is False
