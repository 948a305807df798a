"""Parameters that are parts of one flat buffer: leaves in memory that an optimiser writes to as a whole."""

from __future__ import annotations

import pytest

import wengert as wg


def by_slice_without_recording(flat):
    with wg.no_grad():
        return flat[:4], flat[4:]


PARTS = {
    "split": lambda flat: flat.split([4, 2]),
    "tensor_split": lambda flat: flat.tensor_split([4]),
    "unbind": lambda flat: flat.view(2, 3).unbind(),
    "list": lambda flat: list(flat.view(2, 3)),
    "slices": lambda flat: (flat[:4], flat[4:]),
    "slices without recording": by_slice_without_recording,
    "split without recording": wg.no_grad()(lambda flat: flat.split([4, 2])),
    "slices in inference mode": wg.inference_mode()(lambda flat: (flat[:4], flat[4:])),
}


every_kind = pytest.mark.parametrize("kind", PARTS)


def buffer(kind):
    """A buffer, and its parts as leaves."""
    flat = wg.arange(6.0)
    return flat, [part.requires_grad_() for part in PARTS[kind](flat)]


@every_kind
def test_a_part_is_a_leaf_after_the_buffer_was_written_to(kind):
    flat, (weight, bias) = buffer(kind)
    with wg.no_grad():
        flat.add_(1.0)
    loss = (weight * weight).sum() + bias.sum()
    loss.backward()
    assert weight.is_leaf and weight.grad_fn is None
    assert weight.grad.tolist() == (2 * weight).tolist() and bias.grad.tolist() == [1.0] * len(bias)


@every_kind
def test_a_part_is_a_leaf_after_it_was_written_to_itself(kind):
    flat, (weight, bias) = buffer(kind)
    with wg.no_grad():
        weight.mul_(2.0)
        bias.zero_()
    (weight.sum() * 3 + bias.sum()).backward()
    assert weight.grad.tolist() == [3.0] * len(weight) and flat[: len(weight)].tolist() == weight.tolist()


@every_kind
def test_a_buffer_may_be_written_to_while_recording_as_long_as_it_has_no_history(kind):
    flat, (weight, _) = buffer(kind)
    flat.add_(1.0)
    weight.sum().backward()
    assert weight.grad.tolist() == [1.0] * len(weight)


@every_kind
def test_what_was_recorded_before_the_write_to_the_buffer_is_refused_if_it_saved_the_part(kind):
    flat, (weight, _) = buffer(kind)
    square, double = weight * weight, weight * 2
    with wg.no_grad():
        flat.add_(1.0)
    double.sum().backward()
    assert weight.grad.tolist() == [2.0] * len(weight)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        square.sum().backward()


@every_kind
def test_an_optimiser_trains_the_parts_in_the_buffer(kind):
    flat, both = buffer(kind)
    optimizer = wg.optim.SGD(both, lr=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        sum((part * part).sum() for part in both).backward()
        optimizer.step()
    assert flat.tolist() == [0.0] * 6


def test_a_recorded_write_to_the_buffer_makes_parts_results():
    flat = wg.zeros(6)
    weight = flat[:3].requires_grad_()
    values = wg.ones(6, requires_grad=True)
    flat.add_(values)
    assert not weight.is_leaf
    (weight * 2).sum().backward()
    assert values.grad.tolist() == [2.0, 2.0, 2.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("kind", ["split", "unbind", "slices without recording"])
def test_a_recorded_write_to_the_buffer_is_refused_by_parts_that_cannot_follow(kind):
    flat = wg.zeros(6)
    weight = PARTS[kind](flat)[0].requires_grad_()
    flat.add_(wg.ones(6, requires_grad=True))
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified inplace"):
        weight.sum()
