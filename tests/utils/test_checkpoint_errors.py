"""Checkpointing: what is told of a function that did not do the same again."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert.autograd import detect_anomaly
from wengert.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    set_checkpoint_debug_enabled,
)


def leaf(count=3):
    return wg.linspace(0.1, 1.0, count, dtype=wg.float64).requires_grad_()


def curve(x):
    return x.sin().exp() * x


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function = function
        self.calls = 0

    def __call__(self, *args, **kwargs):
        self.calls += 1
        return self.function(*args, **kwargs)


def again(*args, **kwargs):
    return checkpoint(*args, use_reentrant=False, **kwargs)


def gradient(function, *args):
    """The gradient of a plain call, and the value."""
    x = leaf()
    y = function(x, *args)
    y.sum().backward()
    return y.detach(), x.grad


# ---- what differs ----------------------------------------------------------------------------------------------------


def changing(first, then):
    """A function that does something else from its second call on."""
    counted = Counted(lambda x: first(x) if counted.calls == 1 else then(x))
    return counted


def failure(then, kind=CheckpointError, first=curve, **options):
    with pytest.raises(kind) as caught:
        again(changing(first, then), leaf(), **options).sum().backward()
    return str(caught.value)


def test_fewer_saved_tensors_are_an_error_that_names_the_operator():
    text = failure(lambda x: x.sin())
    assert text.startswith(
        "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
        "recomputation.\nNumber of tensors saved during forward: 4\nNumber of tensors saved during recomputation: 1."
    )
    assert "The first operator that is missing during recomputation is Exp." in text
    assert "A different number of tensors was saved" in failure(lambda x: x.sin(), determinism_check="none")


def test_more_saved_tensors_are_an_error_if_the_recomputation_runs_to_the_end():
    text = failure(lambda x: curve(x).cos(), early_stop=False)
    assert "trying to save more tensors during recomputation than during the original forward pass." in text


def test_other_shapes_are_an_error_that_shows_both_and_the_operator():
    text = failure(lambda x: curve(wg.cat([x, x])))
    assert "Recomputed values for the following tensors have different metadata than during the forward pass." in text
    assert (
        "tensor at position 0:\n"
        "saved metadata: {'shape': torch.Size([3]), 'dtype': torch.float64, 'device': device(type='cpu')}, by Sin\n"
        "recomputed metadata: {'shape': torch.Size([6]), 'dtype': torch.float64, 'device': device(type='cpu')}, by Sin"
    ) in text


def test_other_dtypes_are_an_error_unless_the_check_is_off():
    text = failure(lambda x: curve(x.float()))
    assert "'dtype': torch.float64" in text and "'dtype': torch.float32" in text
    x = leaf()
    again(changing(curve, lambda x: curve(x.float())), x, determinism_check="none").sum().backward()
    assert x.grad.dtype == wg.float64


def test_another_operator_with_the_same_shapes_is_an_error_only_where_operators_are_compared():
    def other(x):
        return x.cos().exp() * x

    again(changing(curve, other), leaf()).sum().backward()
    text = failure(other, determinism_check="operators")
    assert "The first operator that differs saved tensor 0: Sin during forward, Cos during recomputation." in text


def test_the_operator_that_differs_is_named_with_other_shapes_too():
    text = failure(lambda x: wg.cat([x, x]).cos().exp())
    assert "The first operator that differs saved tensor 0: Sin during forward, Cos during recomputation." in text


def test_an_unknown_check_is_refused():
    with pytest.raises(ValueError, match=r"determinism_check should be one of \['default', 'none'"):
        again(curve, leaf(), determinism_check="some")


def by_argument(function, x):
    return again(function, x, debug=True)


def by_guard(function, x):
    with set_checkpoint_debug_enabled(True):
        return again(function, x)


@pytest.mark.parametrize("call", [by_argument, by_guard])
def test_debugging_lists_the_operations_of_both_runs_with_their_lines(call):
    with pytest.raises(CheckpointError) as caught:
        call(changing(curve, lambda x: x.tanh()), leaf()).sum().backward()
    text = str(caught.value)
    assert "An error happened while unpacking tensors; dumping logs of latest computation" in text
    forward, recomputation = text.split("Operations executed during recomputation:")
    assert "Operations executed during the original forward:\n1: Sin (File " in forward
    assert "in curve: return x.sin().exp() * x)\n2: Exp (File " in forward and "\n3: Mul (File " in forward
    assert "1: Tanh (File " in recomputation
    assert "A different number of tensors was saved" in recomputation


def test_the_guard_of_debugging_can_switch_it_off_and_can_leave_it_to_the_call():
    with set_checkpoint_debug_enabled(False):
        assert "dumping logs" not in failure(lambda x: x.sin(), debug=True)
        with set_checkpoint_debug_enabled(None):
            assert "dumping logs" in failure(lambda x: x.sin(), debug=True)


def test_an_error_of_the_function_passes_and_the_graph_stays_usable():
    def fail(x):
        raise KeyError("once")

    function = Counted(lambda x: fail(x) if function.calls == 2 else curve(x))
    x = leaf()
    y = again(function, x).sum()
    with pytest.raises(KeyError, match="once"):
        y.backward()
    assert x.grad is None
    y.backward()
    assert wg.equal(x.grad, gradient(curve)[1])


def test_an_input_that_was_written_to_is_an_error_that_names_the_line():
    x = leaf()
    middle = x * 1
    with detect_anomaly_quietly():
        y = again(lambda x: x.sin().exp(), middle)
        middle.mul_(2)
        with pytest.raises(RuntimeError) as caught, pytest.warns(UserWarning, match="Error detected in ExpBackward0"):
            y.sum().backward()
    text = str(caught.value)
    assert "has been modified by an inplace operation" in text
    assert "which is output 0 of Mul, is at version 1; expected version 0 instead. It was saved by checkpoint." in text
    assert ": middle.mul_(2))" in text


def test_a_write_within_the_function_to_what_it_saved_is_an_error_as_without_checkpoint():
    def function(x):
        y = x.exp()
        y.mul_(2)
        return y.sin()

    with pytest.raises(RuntimeError, match=r"is at version 1; expected version 0 instead\. It was saved by Exp"):
        again(function, leaf()).sum().backward()


def detect_anomaly_quietly():
    with pytest.warns(UserWarning, match="Anomaly Detection has been enabled"):
        return detect_anomaly()


def test_anomaly_detection_shows_the_line_inside_the_function():
    def function(x):
        return x / x * x.exp()

    def run():
        with detect_anomaly_quietly():
            again(function, wg.zeros(2, requires_grad=True)).sum().backward()

    with (
        pytest.warns(UserWarning, match=r"in function\n    return x / x \* x.exp\(\)"),
        pytest.raises(RuntimeError, match="MulBackward0' returned nan values in its 1th output"),
    ):
        run()


def test_unknown_keyword_arguments_reach_the_function():
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        again(curve, leaf(), other=1)
