"""The watch of anomaly detection: what made the first NaN, infinities or subnormal numbers, forward and backward."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import wengert as wg
from wengert._core.state.modes import current
from wengert.autograd import Watch, detect_anomaly, set_detect_anomaly

pytestmark = pytest.mark.filterwarnings("ignore:Anomaly Detection has been enabled:UserWarning")


def here():
    """The number of the line that calls this."""
    return sys._getframe(1).f_lineno


def watched(program, **options):
    """What a program's operators have made of bad values."""
    found = []
    with detect_anomaly(watch=Watch(callback=found.append, **options)):
        program()
    return found


# Each makes a bad value out of a good one, at the first element; the others stay good.
PRODUCERS = {
    "log": ("nan", lambda x: (x - x[0] - 1).log()),
    "sqrt": ("nan", lambda x: (x - x[0] - 1).sqrt()),
    "true_divide": ("inf", lambda x: wg.ones(4) / (x - x[0])),
    "exp": ("inf", lambda x: ((x - x[0]) * -1 + 1000).exp()),
    "mul": ("subnormal", lambda x: x.abs().clamp(0.5, 1.0) * 1e-39),
}
STEPS = (
    lambda x: x * 2,
    lambda x: x + 1,
    lambda x: x.flip(0),
    lambda x: x.view(2, 2).t().reshape(4),
    lambda x: wg.cat([x, x])[2:6],
    lambda x: x.clone().add_(1.0),
    lambda x: -x,
)


@pytest.mark.parametrize("name", PRODUCERS)
@settings(max_examples=15)
@given(before=st.lists(st.integers(0, 6), max_size=4), after=st.lists(st.integers(0, 6), max_size=4))
def test_the_planted_producer_of_a_random_program_is_named_and_no_propagator(name, before, after):
    kind, produce = PRODUCERS[name]

    def program():
        x = wg.tensor([0.5, 1.5, 2.5, 3.5])
        for step in before:
            x = STEPS[step](x)
        x = produce(x)
        for step in after:
            x = STEPS[step](x)

    found = watched(program, nan=kind == "nan", inf=kind == "inf", subnormal=kind == "subnormal")
    makers = [each for each in found if each.kind == kind]
    assert makers[0].operator == name and makers[0].phase == "forward"
    if kind != "subnormal":  # which may come to be again
        assert len(found) == 1


def test_a_forward_call_raises_where_there_is_no_callback_and_names_its_line():
    x = wg.tensor([1.0, -1.0])
    with pytest.raises(RuntimeError) as caught, detect_anomaly(watch=Watch()):
        x.log()
    message = str(caught.value)
    assert message.startswith("log() gave nan values in its 0th output. 1 of 2 values, the first at index (1,).")
    assert f'Called at File "{__file__}", line {here() - 3}, in ' in message


def test_a_finding_tells_where_how_many_and_of_what():
    [found] = watched(lambda: wg.tensor([[1.0, 0.0], [0.0, 2.0]]).log(), inf=True)
    assert (found.phase, found.kind, found.operator, found.output) == ("forward", "inf", "log", 0)
    assert (found.count, found.size, found.first, found.inputs) == (2, 4, (0, 1), "")
    assert found.where.filename == __file__


def test_a_producer_whose_inputs_held_another_kind_says_so():
    x = wg.tensor([math.inf, 1.0])
    [found] = watched(lambda: x - x, inf=True)
    assert (found.kind, found.inputs) == ("nan", "Its inputs held inf values.")


def test_numbers_among_the_arguments_count_as_inputs():
    mask = wg.tensor([True, False])
    assert watched(lambda: wg.ones(2).masked_fill(mask, float("-inf")), inf=True) == []
    assert watched(lambda: wg.full((2,), math.nan) * 2) == []


def test_in_place_operators_are_watched():
    x = wg.tensor([-1.0, 1.0])
    [found] = watched(x.sqrt_)
    assert found.operator == "sqrt_"
    assert watched(lambda: x.add_(1)) == []


def test_backward_steps_that_make_bad_values_are_told():
    x = wg.zeros(2, requires_grad=True)
    [found] = watched(lambda: x.sqrt().sum().backward(), inf=True, forward=False)
    assert (found.phase, found.operator, found.kind, found.count) == ("backward", "SqrtBackward0", "inf", 2)
    assert str(found) == "Function 'SqrtBackward0' returned inf values in its 0th output."


def test_a_node_that_hands_bad_values_on_is_passed_over():
    x = wg.zeros(2, requires_grad=True)
    y = (x * 2).sqrt().sum()
    assert [each.operator for each in watched(y.backward, inf=True)] == ["SqrtBackward0"]
    z = (wg.ones(2, requires_grad=True) * 2).exp()
    assert watched(lambda: z.backward(wg.tensor([math.nan, 1.0]))) == []


def test_bad_values_that_were_saved_in_the_forward_pass_are_told_as_such():
    x = wg.tensor([-1.0, 1.0], requires_grad=True)
    y = (x.log() * x).sum()
    [found] = watched(y.backward)
    assert (found.operator, found.inputs) == (
        "MulBackward0",
        "Its saved tensors held nan values from the forward pass.",
    )


def test_a_backward_step_raises_torchs_message_with_a_note():
    x = wg.zeros(2, requires_grad=True)
    with wg.set_debug(lines=True), detect_anomaly(watch=Watch(forward=False)):
        y = x / x
        with pytest.raises(RuntimeError) as caught:
            y.sum().backward()
    assert str(caught.value) == "Function 'DivBackward0' returned nan values in its 1th output."
    assert f'Recorded at File "{__file__}", line {here() - 4}' in "\n".join(caught.value.__notes__)


def test_either_phase_can_be_left_out():
    def program():
        x = wg.zeros(2, requires_grad=True)
        (x / x).sum().backward()

    assert {each.phase for each in watched(program)} == {"forward", "backward"}
    assert {each.phase for each in watched(program, backward=False)} == {"forward"}
    assert {each.phase for each in watched(program, forward=False)} == {"backward"}


class Spoils(wg.autograd.Function):
    """Computes in NumPy, where no operator is seen."""

    @staticmethod
    def forward(ctx, x):
        return wg.from_numpy(x.numpy() * np.float32("nan"))

    @staticmethod
    def backward(ctx, grad):
        return grad


class Logs(wg.autograd.Function):
    """Computes by an operator."""

    @staticmethod
    def forward(ctx, x):
        return x.log()

    @staticmethod
    def backward(ctx, grad):
        return grad


def test_custom_functions_are_watched_and_an_operator_within_is_told_instead_of_them():
    assert [each.operator for each in watched(lambda: Spoils.apply(wg.ones(2)))] == ["Spoils"]
    assert [each.operator for each in watched(lambda: Logs.apply(-wg.ones(2)))] == ["log"]
    assert watched(lambda: Spoils.apply(wg.full((2,), math.nan))) == []


@pytest.mark.parametrize("dtype", [wg.float16, wg.float32, wg.float64, wg.complex64])
def test_subnormal_numbers_are_found_in_every_dtype(dtype):
    tiny = wg.finfo(dtype).tiny
    [found] = watched(lambda: wg.tensor([tiny, 1.0], dtype=dtype) * 0.25, subnormal=True)
    assert (found.kind, found.count, found.first) == ("subnormal", 1, (0,))


def test_set_detect_anomaly_takes_a_watch_too_and_gives_it_back():
    before = current().observers
    with set_detect_anomaly(True, watch=Watch()):
        assert wg.is_anomaly_enabled() and current().watch is not None and len(current().observers) == 1
        set_detect_anomaly(False)
        assert current().watch is None and current().observers == []
    assert not wg.is_anomaly_enabled() and current().watch is None and current().observers == before


def test_a_watch_within_a_watch_takes_its_place_until_its_end():
    outer, inner = [], []
    with detect_anomaly(watch=Watch(callback=outer.append)):
        with detect_anomaly(watch=Watch(callback=inner.append)):
            wg.tensor(-1.0).log()
        wg.tensor(-1.0).sqrt()
    assert [each.operator for each in inner] == ["log"] and [each.operator for each in outer] == ["sqrt"]


def test_options_that_are_no_watch_are_refused_before_anything_is_switched():
    with pytest.raises(TypeError, match=r"detect_anomaly\(\): watch must be a wengert.autograd.Watch, not dict"):
        detect_anomaly(watch={"nan": True})
    with pytest.raises(TypeError, match=r"set_detect_anomaly\(\): watch must be"):
        set_detect_anomaly(True, watch="nan")
    assert not wg.is_anomaly_enabled()
