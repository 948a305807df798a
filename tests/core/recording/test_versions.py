"""Version counters, and the errors for saved tensors that were written to before the backward pass read them."""

from __future__ import annotations

import pytest

import wengert as wg


def leaf(*values):
    return wg.tensor(values, dtype=wg.float64, requires_grad=True)


def test_every_write_counts_once_for_all_views_of_the_memory():
    x = wg.ones(4)
    view, detached = x[1:], x.detach()
    assert x._version == view._version == detached._version == 0
    writes = [
        lambda: x.add_(1),
        lambda: view.mul_(2),
        lambda: detached.zero_(),
        lambda: x.fill_(3),
        lambda: view.copy_(wg.zeros(3)),
    ]
    for count, write in enumerate(writes, 1):
        write()
        assert x._version == view._version == detached._version == count


def test_assignments_to_an_index_count():
    x = wg.ones(4)
    x[0] = 1.0
    x[1:3] = wg.zeros(2)
    x[x > 0] = 5.0
    assert x._version == 3


def test_operators_in_place_count():
    x = wg.ones(4)
    x += 1
    x *= 2
    x -= 1
    x /= 2
    x **= 2
    assert x._version == 5


def test_functional_operations_do_not_count():
    x = wg.ones(4)
    x + 1, x.exp(), x.view(2, 2), x.sum(), x.clone(), x.detach()
    assert x._version == 0


def test_a_copy_counts_for_itself():
    x = wg.ones(4)
    y = x.clone()
    y.add_(1)
    assert (x._version, y._version) == (0, 1)


def test_writes_to_data_are_not_noticed():
    x = wg.ones(4)
    x.data.add_(1)
    assert x._version == 0 and x.tolist() == [2.0] * 4


def test_writes_while_not_recording_count_too():
    x = wg.ones(4, requires_grad=True)
    with wg.no_grad():
        x.add_(1)
    assert x._version == 1


def test_an_output_of_a_call_with_out_counts():
    x = wg.zeros(2)
    wg.add(wg.ones(2), wg.ones(2), out=x)
    assert x._version == 1 and x.tolist() == [2.0, 2.0]


def test_a_saved_input_that_was_written_to_is_an_error_that_says_everything():
    x = leaf(1.0, 2.0, 3.0)
    middle = x * 2
    result = middle * middle
    middle.add_(1)
    with pytest.raises(RuntimeError) as caught:
        result.sum().backward()
    text = str(caught.value)
    assert text.startswith(
        "one of the variables needed for gradient computation has been modified by an inplace operation: "
    )
    assert "[torch.DoubleTensor [3]], which is output 0 of " in text
    assert "is at version 1; expected version 0 instead" in text
    assert "torch.autograd.set_detect_anomaly(True" in text
    assert x.grad is None


def test_a_saved_output_that_was_written_to_is_an_error():
    x = leaf(1.0, 2.0)
    result = x.exp()
    result.add_(1)
    with pytest.raises(RuntimeError, match=r"which is output 0 of .*, is at version 1; expected version 0 instead"):
        result.sum().backward()


def test_a_saved_leaf_that_was_written_to_is_an_error():
    x, weights = leaf(1.0, 2.0), wg.tensor([3.0, 4.0], dtype=wg.float64)
    result = x * weights
    weights.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_a_write_through_a_view_is_noticed():
    x = leaf(1.0, 2.0)
    middle = x * 2
    result = middle * middle
    middle[:1].zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_a_write_to_the_base_is_noticed_by_what_saved_a_view():
    x = leaf(1.0, 2.0)
    middle = x * 2
    view = middle[:1]
    result = view * view
    middle.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.sum().backward()


def test_a_write_to_what_no_rule_needs_is_allowed():
    x = leaf(1.0, 2.0)
    middle = x * 2
    result = middle + 1
    middle.mul_(5)
    (result * 3).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_a_write_after_the_pass_is_allowed():
    x = leaf(1.0, 2.0)
    middle = x * 2
    (middle * middle).sum().backward()
    middle.zero_()
    assert x.grad.tolist() == [8.0, 16.0]


def test_reading_a_saved_tensor_checks_it_too():
    x = leaf(1.0, 2.0)
    middle = x * 2
    result = middle * middle
    assert result.grad_fn._saved_self.tolist() == [2.0, 4.0]
    assert result.grad_fn._saved_other.requires_grad
    middle.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        result.grad_fn._saved_self  # noqa: B018


def test_a_saved_tensor_cannot_be_read_after_the_pass():
    x = leaf(1.0, 2.0)
    result = x.exp()
    assert result.grad_fn._saved_result.tolist() == result.tolist()
    assert result.grad_fn._saved_result.grad_fn is result.grad_fn
    result.sum().backward()
    with pytest.raises(RuntimeError, match="after they have already been freed"):
        result.grad_fn._saved_result  # noqa: B018


def test_only_what_a_wanted_gradient_needs_is_saved():
    x, weights = leaf(1.0, 2.0), wg.ones(2, dtype=wg.float64)
    node = (x * weights).grad_fn
    assert node._saved_self is None and node._saved_other is not None


def test_a_leaf_that_requires_a_gradient_is_not_written_to():
    x = leaf(1.0, 2.0)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x.add_(1)
    with pytest.raises(
        RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place operation"
    ):
        x[:1].add_(1)
    assert x._version == 0 and x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("write", "error", "says"),
    [
        (lambda y: y.add_(wg.ones(3)), RuntimeError, r"size of tensor a \(2\) must match the size of tensor b \(3\)"),
        (lambda y: y.add_(wg.ones(2, 2)), RuntimeError, r"output with shape \[2\] doesn't match the broadcast shape"),
        (lambda y: y.mul_(1j), RuntimeError, "result type ComplexDouble can't be cast to the desired"),
        (lambda y: y.add_("a"), TypeError, "must be (Tensor|Number), not str|invalid combination of arguments"),
        (lambda y: y.expand(3, 2).add_(1), RuntimeError, "more than one element of the written-to tensor"),
        (lambda y: y.unbind()[0].add_(1), RuntimeError, "output of a function that returns multiple views"),
    ],
    ids=["shape", "larger", "dtype", "type", "overlap", "several views"],
)
def test_a_refused_write_leaves_values_version_and_history(write, error, says):
    x = leaf(1.0, 2.0)
    y = x * 2
    node, version = y.grad_fn, y._version
    with pytest.raises(error, match=says):
        write(y)
    assert y.tolist() == [2.0, 4.0]
    assert y._version == version
    assert y.grad_fn is node


def test_a_view_made_without_recording_is_not_written_to_while_recording():
    y = leaf(1.0, 2.0) * 2
    with wg.no_grad():
        view = y[:1]
    with pytest.raises(
        RuntimeError, match="A view was created in no_grad mode and is being modified inplace with grad mode enabled"
    ):
        view.mul_(2)


def test_whole_numbers_do_not_take_fractions_in_place():
    x = wg.ones(2, dtype=wg.int64)
    with pytest.raises(RuntimeError, match="result type Float can't be cast to the desired output type Long"):
        x.mul_(1.5)
    assert x.tolist() == [1, 1] and x._version == 0
