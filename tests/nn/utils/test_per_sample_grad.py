"""Gradients of samples by torch's experimental function: in `grad_sample`, `.grad` left alone."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.nn.utils._per_sample_grad import call_for_per_sample_grads
from wengert.testing import assert_close


def test_each_samples_gradient_lies_beside_the_parameters_and_none_in_grad():
    model = wg.nn.Sequential(wg.nn.Linear(2, 3), wg.nn.Tanh(), wg.nn.Linear(3, 1))
    model[0].bias.requires_grad_(False)
    x = wg.arange(8.0).reshape(4, 2)
    call_for_per_sample_grads(model)(x).sum().backward()
    wanted = [each for each in model.parameters() if each.requires_grad]
    for at in range(4):
        expected = wg.autograd.grad(model(x[at]).sum(), wanted)
        assert_close([each.grad_sample[at] for each in wanted], list(expected))
    assert all(each.grad is None for each in model.parameters()) and not hasattr(model[0].bias, "grad_sample")


def test_inputs_get_their_gradients_and_a_mean_is_taken_for_one():
    layer, x = wg.nn.Linear(2, 3), wg.ones(4, 2, requires_grad=True)
    call_for_per_sample_grads(layer, loss_reduction="mean")(x).mean(0).sum().backward()
    assert_close(layer.bias.grad_sample, wg.ones(4, 3))
    assert_close(x.grad, layer.weight.detach().sum(0).expand(4, 2) / 4)
    with wg.no_grad():
        layer.weight.grad_sample = layer.bias.grad_sample = None
        assert not call_for_per_sample_grads(layer)(x).requires_grad


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"batch_size": "a"}, "Batch size passed must be None or an integer, got str"),
        ({"batch_size": 0}, "Batch size must be positive, got 0"),
        ({"loss_reduction": "x"}, "Expected loss_reduction argument to be sum or mean, got x"),
        ({"batch_first": False}, "wants the samples in the first dimension"),
    ],
)
def test_what_is_no_option_is_refused(options, says):
    with pytest.raises(RuntimeError, match=says):
        call_for_per_sample_grads(wg.nn.Linear(2, 1), **options)


def test_calls_without_a_number_of_samples_and_second_ones_are_refused():
    bilinear, x = wg.nn.Bilinear(2, 2, 1), wg.ones(4, 2)
    with pytest.raises(RuntimeError, match=r"Module passed must be nn\.Module, got int"):
        call_for_per_sample_grads(5)
    with pytest.raises(RuntimeError, match="one input with batch size 4 and one with batch size 2"):
        call_for_per_sample_grads(bilinear)(x, x[:2])
    with pytest.raises(RuntimeError, match="Unable to find a tensor"):
        call_for_per_sample_grads(bilinear)(5, 5)
    with pytest.raises(RuntimeError, match="input batch size of 4 with ExpandedWeight of batch size 3"):
        call_for_per_sample_grads(bilinear, batch_size=3)(x, x)
    call_for_per_sample_grads(bilinear, batch_size=4)(x, x).sum().backward()
    with pytest.raises(RuntimeError, match="Please clear out the grad_sample parameter"):
        call_for_per_sample_grads(bilinear)(x, x)
