"""Functions replayed by `wg.compile(function, replay=True)` do what they do eagerly, or say why they are not."""

from __future__ import annotations

import copy
import gc
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from wengert.compiler.replaying import MOST_BRANCHES, Replaying

import wengert as wg
from wengert._core.state.modes import current
from wengert.testing.calls import tensors_in

CALLS = 20


def bits(value: Any) -> Any:
    """Return everything of a result that is to be equal."""
    if isinstance(value, wg.Tensor):
        return value.dtype, value.shape, value.stride(), value._array_.tobytes(), value._version, value._is_view()
    if isinstance(value, (list, tuple)):
        return type(value), [bits(part) for part in value]
    if isinstance(value, dict):
        return [(key, bits(part)) for key, part in value.items()]
    return value


def replayed(function: Callable[..., Any]) -> Any:
    return wg.compile(function, replay=True, fullgraph=True)


def lists_of(compiled: Replaying) -> list[Any]:
    return [captured for signature in compiled.signatures.values() for captured in signature.lists]


def check(function: Callable[..., Any], make: Callable[[int], tuple[Any, ...]], lists: int = 1) -> Replaying:
    """Call a function eagerly and compiled with equal arguments; compare results and arguments."""
    compiled = replayed(function)
    for number in range(CALLS):
        wg.manual_seed(number)
        args = make(number)
        wg.manual_seed(number)
        others = make(number)
        wg.manual_seed(number)
        wanted = bits(function(*args))
        wg.manual_seed(number)
        assert bits(compiled(*others)) == wanted
        assert bits(list(tensors_in(list(others)))) == bits(list(tensors_in(list(args))))
    assert len(lists_of(compiled)) == lists
    return compiled


def two(number: int) -> tuple[Any, ...]:
    return wg.randn(3, 4), wg.randn(3, 4)


def test_results_are_new_tensors_in_each_call():
    def function(x, y):
        return (x * y).sin()

    check(function, two)
    compiled = replayed(function)
    x, y = two(0)
    results = [compiled(x, y) for _ in range(CALLS)]
    assert len({result.data_ptr() for result in results}) == CALLS


def test_views_and_arguments_among_the_results_are_what_they_are_eagerly():
    def function(x, y):
        z = x + y
        return z, z.t(), x, x[0], {"z": z.view(-1)[2:], "y": (y, None, 2.5, "text")}

    compiled = check(function, two)
    x, y = two(0)
    z, turned, same, row, rest = compiled(x, y)
    assert same is x and rest["y"][0] is y
    assert turned._base is z and rest["z"]._base is z and row._base is x


def test_writes_reach_arguments_and_tensors_around_the_function_and_are_counted():
    total = wg.zeros(4)
    eager = wg.zeros(4)

    def step(x, y, into):
        x.add_(1)
        y[1] = x[0]
        into += x.sum(0)
        return into * 2

    compiled = replayed(lambda x, y: step(x, y, total))
    for number in range(CALLS):
        wg.manual_seed(number)
        x, y = two(number)
        other_x, other_y = x.clone(), y.clone()
        assert bits(compiled(x, y)) == bits(step(other_x, other_y, eager))
        assert bits([x, y, total])[1][0][3] == bits([other_x, other_y, eager])[1][0][3]
        assert y.equal(other_y) and total.equal(eager)
        assert (x._version, y._version, total._version) == (other_x._version, other_y._version, eager._version)
    assert len(lists_of(compiled)) == 1


@pytest.mark.parametrize("write", [lambda y: y.mul_(y), lambda y: y.sub_(y, alpha=2), lambda y: y.addcmul_(y, y)])
def test_a_tensor_is_written_to_from_itself(write):
    def step(x):
        y = x.abs() + 1
        write(y)
        return y

    replayed = wg.compile(step, replay=True)
    for number in range(8):
        x = wg.arange(3.0) + number
        assert replayed(x).equal(step(x))


def test_random_numbers_are_drawn_anew_and_from_the_same_stream():
    check(lambda x, y: wg.dropout(x, 0.5, True) + wg.bernoulli(y.sigmoid()), two)


def test_constants_that_are_written_to_begin_anew():
    def function(x, y):
        total = wg.zeros(3, 4)
        for _ in range(3):
            total += x * y
        return total, wg.arange(4) * 2

    check(function, two)


def test_a_value_that_python_reads_chooses_a_list():
    def function(x, y):
        return x * 2 if x.sum() > 0 else y - 1

    check(function, lambda number: (wg.ones(3) * (-1) ** (number // 2), wg.randn(3)), lists=2)


def test_values_that_always_differ_end_the_replays_with_a_warning():
    def function(x):
        return x * x.sum().item()

    compiled = wg.compile(function, replay=True)
    with pytest.warns(UserWarning, match=f"function is not replayed.*{MOST_BRANCHES} lists"):
        for number in range(40):
            x = wg.ones(3) * number
            assert compiled(x).equal(function(x))


def test_shapes_dtypes_and_python_values_have_lists_of_their_own():
    def function(x, factor=2):
        return x.sum(0) * factor

    compiled = replayed(function)
    for _ in range(5):
        for args in ((wg.ones(2, 3),), (wg.ones(4, 3),), (wg.ones(2, 3, dtype=wg.float64),), (wg.ones(2, 3), 3)):
            assert bits(compiled(*args)) == bits(function(*args))
        assert bits(compiled(wg.ones(3, 2).t())) == bits(function(wg.ones(3, 2).t()))
        assert compiled(wg.ones(2, 3), 2.0).dtype is wg.float32
    assert len(lists_of(compiled)) == 6


def test_shared_memory_of_arguments_is_a_case_of_its_own():
    def function(x, y):
        x.add_(1)
        return x + y

    compiled = replayed(function)
    for _ in range(6):
        x, y = wg.ones(3), wg.ones(3)
        assert compiled(x, y).equal(wg.full((3,), 3.0))
        assert compiled(x, x).equal(wg.full((3,), 6.0))


def test_memory_that_arguments_begin_to_share_is_noticed():
    def function(x, y):
        x.add_(1)
        return y * 2

    compiled = replayed(function)
    x, apart = wg.zeros(3), wg.zeros(3)
    together = x.detach()
    assert together._storage_ is x._storage_ and together._flags_ == apart._flags_
    for number, y in enumerate([apart] * 8 + [together, apart] * 4 + [together] * 6):
        expected = 2.0 * (number + 1) if y is together else 0.0
        assert compiled(x, y).equal(wg.full((3,), expected))


def test_parameters_are_read_in_each_call():
    layer = wg.nn.Linear(3, 2)

    @wg.no_grad()
    def function(x):
        return layer(x)

    compiled = replayed(function)
    for _ in range(CALLS):
        x = wg.randn(4, 3)
        assert bits(compiled(x)) == bits(function(x))
        with wg.no_grad():
            layer.weight.mul_(0.5)
            layer.bias.data = wg.randn(2)
    assert len(lists_of(compiled)) == 1


def test_gradients_inside_the_function_are_replayed():
    weight = wg.randn(3, requires_grad=True)

    def function(x):
        loss = (weight * x).tanh().pow(2).sum()
        (grad,) = wg.autograd.grad(loss, weight)
        with wg.no_grad():
            weight.sub_(grad, alpha=0.1)
        return loss.detach(), grad

    def course(compile_it: bool) -> Any:
        with wg.no_grad():
            weight.copy_(wg.tensor([0.1, -0.2, 0.3]))
        step = replayed(function) if compile_it else function
        return [bits(step(wg.ones(3) * number))[1][0][3] for number in range(CALLS)], bits(weight.detach())[3]

    assert course(True) == course(False)


def train(optimiser: Callable[[Any], Any], compile_it: bool, rate: bool = True) -> Any:
    """Train a small net in whole steps; return losses, parameters, gradients, versions and the compiled step."""
    wg.manual_seed(0)
    net = wg.nn.Sequential(wg.nn.Linear(4, 8), wg.nn.Tanh(), wg.nn.Dropout(0.2), wg.nn.Linear(8, 1))
    optim = optimiser(net.parameters())

    def step(x, y):
        optim.zero_grad()
        loss = ((net(x) - y) ** 2).mean()
        loss.backward()
        optim.step()
        return loss.detach()

    taken = replayed(step) if compile_it else step
    losses = []
    for number in range(2 * CALLS):
        optim.param_groups[0]["lr"] *= 0.9 if rate else 1
        wg.manual_seed(number)
        x = wg.randn(5, 4)
        losses.append(taken(x, x.sum(1, keepdim=True)).item())
    facts = [(bits(each.detach()), bits(each.grad), each._version) for each in net.parameters()]
    return losses, facts, taken


OPTIMISERS = {
    "SGD": lambda parameters: wg.optim.SGD(parameters, 0.1),
    "momentum": lambda parameters: wg.optim.SGD(parameters, 0.1, momentum=0.9),
    "Adam": lambda parameters: wg.optim.Adam(parameters, 0.01),
    "RMSprop": lambda parameters: wg.optim.RMSprop(parameters, 0.01),
}


@pytest.mark.parametrize("name", OPTIMISERS)
def test_whole_training_steps_are_replayed_with_the_rate_and_the_state_of_each_step(name):
    losses, facts, _ = train(OPTIMISERS[name], False)
    same_losses, same_facts, step = train(OPTIMISERS[name], True)
    assert losses == same_losses and facts == same_facts
    assert lists_of(step)


def test_gradients_add_up_where_they_are_not_cleared():
    weight, other = (wg.ones(3, requires_grad=True) for _ in range(2))

    def step(parameter, x):
        (parameter * x).sum().backward()

    compiled = replayed(lambda x: step(weight, x))
    for number in range(CALLS):
        x = wg.ones(3) * number
        compiled(x)
        step(other, x)
        assert weight.grad.equal(other.grad) and weight.grad._version == other.grad._version
    assert len(lists_of(compiled)) == 1


REFUSED = {
    "numpy()": lambda x: wg.from_numpy(np.sin(x.numpy())),
    "tolist() of many elements": lambda x: wg.tensor(wg.cat([x] * 40).tolist()),
    "a factory that draws": lambda x: x + wg.empty(3).copy_(wg.normal(0.0, 1.0, (3,))),
    "out=": lambda x: wg.add(x, x, out=wg.zeros(3)),
    "seeding": lambda x: (wg.manual_seed(0), x + 1)[1],
    "the text": lambda x: (str(x), x + 1)[1],
    "an object": lambda x: (x + 1, {1}),
    "a gradient": lambda x: x.requires_grad_().exp(),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_captured_is_called_eagerly_with_one_warning_that_names_the_line(name):
    function = REFUSED[name]
    compiled = wg.compile(function, replay=True)
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        for number in range(6):
            x = wg.ones(3) * number
            wg.manual_seed(number)
            wanted = function(wg.ones(3) * number)
            wg.manual_seed(number)
            got = compiled(x)
            assert [bits(each.detach()) for each in tensors_in(got)] == [
                bits(each.detach()) for each in tensors_in(wanted)
            ]
    told = [str(each.message) for each in seen if "is not replayed" in str(each.message)]
    assert len(told) == 1
    assert not lists_of(compiled)
    if name not in ("an object", "a gradient", "out="):
        assert "test_replaying.py" in told[0]


def test_fullgraph_makes_an_error_of_it():
    compiled = replayed(lambda x: wg.from_numpy(x.numpy() + 1))
    compiled(wg.ones(2))
    with pytest.raises(RuntimeError, match=r"is not replayed; it is called eagerly: numpy\(\) reads"):
        compiled(wg.ones(2))


def test_a_program_that_breaks_the_rules_is_told_which_number_changed():
    rates = [0.1]

    def function(x):
        return x * rates[0]

    compiled = wg.compile(function, replay=True)
    x = wg.ones(2)
    for _ in range(3):
        compiled(x)
    rates[0] = 0.25
    with pytest.warns(UserWarning, match=r"it called mul with 0.25, where that had been 0.1"):
        for _ in range(20):
            last = compiled(x)
    assert last.equal(x * 0.25)


def test_errors_are_those_of_the_function():
    table = wg.arange(5.0)

    def function(index):
        return table[index] * 2

    compiled = replayed(function)
    for _ in range(6):
        assert compiled(wg.tensor([1, 2])).tolist() == [2.0, 4.0]
    with pytest.raises(IndexError) as eager:
        function(wg.tensor([1, 7]))
    with pytest.raises(IndexError) as caught:
        compiled(wg.tensor([1, 7]))
    assert str(caught.value) == str(eager.value)
    assert compiled(wg.tensor([1, 2])).tolist() == [2.0, 4.0]


def test_modes_and_transforms_see_the_function_itself():
    def function(x):
        return (x * 3).sin().sum()

    compiled = replayed(function)
    x = wg.randn(4)
    for _ in range(6):
        compiled(x)
    assert wg.func.grad(compiled)(x).equal(wg.func.grad(function)(x))
    assert wg.vmap(compiled)(wg.stack([x, x])).equal(wg.vmap(function)(wg.stack([x, x])))
    with wg.inference_mode():
        assert compiled(x).is_inference()
    with wg.no_grad():
        assert compiled(x).equal(function(x))
    outer = replayed(lambda x: compiled(x) + 1)
    for _ in range(6):
        assert outer(x).equal(function(x) + 1)


def test_a_method_and_a_decorated_function_can_be_replayed():
    class Model:
        def __init__(self) -> None:
            self.scale = wg.tensor(2.0)

        @wg.compile(replay=True)
        def double(self, x):
            """Return the double."""
            return x * self.scale

    models = Model(), Model()
    models[1].scale = wg.tensor(3.0)
    for _ in range(8):
        assert [model.double(wg.ones(1)).item() for model in models] == [2.0, 3.0]
    assert Model.double.__doc__ == "Return the double."


def test_without_replay_the_function_is_followed():
    def function(x):
        return x

    assert wg.compile(function).__wrapped__ is function and wg.compile(function, disable=True) is function


def test_modules_are_replayed_and_keep_their_attributes():
    net = wg.nn.Sequential(wg.nn.Linear(3, 4), wg.nn.ReLU())
    compiled = replayed(net)
    assert list(compiled.parameters()) == list(net.parameters())
    with wg.no_grad():
        for _ in range(8):
            x = wg.randn(2, 3)
            assert compiled(x).equal(net(x))
    assert lists_of(compiled)


def test_reset_forgets_and_explain_tells():
    def function(x):
        return (x * 2).sum()

    compiled = replayed(function)
    for _ in range(6):
        compiled(wg.ones(3))
    text = wg.compiler.explain(compiled)
    assert "list of 2 entries (2 call)" in text and "call: mul" in text and "test_replaying.py" in text
    wg.compiler.reset()
    assert not lists_of(compiled)
    assert compiled(wg.ones(3)).item() == 6.0
    with pytest.raises(TypeError, match="explain"):
        wg.compiler.explain(function)


def test_arrays_among_the_arguments_are_refused():
    compiled = wg.compile(lambda x, y: x + wg.from_numpy(y), replay=True)
    y = np.ones(2)
    with pytest.warns(UserWarning, match="an argument is a NumPy array"):
        for number in range(6):
            y[:] = number
            assert compiled(wg.zeros(2), y).tolist() == [number, number]


def test_copies_begin_without_lists():
    compiled = replayed(double)
    for _ in range(4):
        compiled(wg.ones(1))
    again = copy.deepcopy(compiled)
    assert not lists_of(again) and again(wg.ones(1)).item() == 2.0


def double(x):
    return x * 2


def test_threads_share_a_function():
    compiled = replayed(lambda x: (x * 3).sin().sum())
    failed = []

    def work(start: int) -> None:
        for number in range(60):
            x = wg.full((4,), float(start + number))
            if compiled(x).item() != (x * 3).sin().sum().item():
                failed.append(number)

    threads = [threading.Thread(target=work, args=(100 * at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_neither_recordings_nor_replays_keep_memory():
    def function(x):
        y = x * 2
        seen.append(weakref.ref(y._storage_))
        return (y + 1).sum()

    seen: list[Any] = []
    compiled = replayed(function)
    gc.collect()
    gc.disable()
    try:
        for _ in range(8):
            compiled(wg.ones(4))
    finally:
        gc.enable()
    assert len(seen) >= 4 and all(reference() is None for reference in seen)


def test_after_an_error_in_a_recorded_call_nothing_is_watched():
    def function(x):
        y = x * 2
        if calls:
            raise ValueError("an error of the program")
        return y

    calls: list[int] = []
    compiled = replayed(function)
    compiled(wg.ones(2))
    calls.append(1)
    with pytest.raises(ValueError, match="of the program"):
        compiled(wg.ones(2))
    assert current().log is None and not current().word
    with wg.profiler.profile() as profile:  # counts of open logs are as before
        wg.ones(2) * 3
    assert any(event.key == "aten::mul" for event in profile.key_averages())


def test_a_view_whose_base_comes_to_require_a_gradient_is_another_case():
    base = wg.randn(4)
    part = base[1:]

    def function(x):
        return (x * 2).sum()

    compiled = replayed(function)
    for _ in range(6):
        compiled(part)
    assert len(lists_of(compiled)) == 1
    base.requires_grad_()
    results = [compiled(part) for _ in range(4)]
    assert all(result.requires_grad for result in results) and len(lists_of(compiled)) == 2
    results[0].backward()
    assert part.grad.tolist() == [2.0, 2.0, 2.0]


def test_sizes_slices_and_devices_among_the_arguments_are_compared_by_value():
    def function(x, size, part, where):
        return x.reshape(size)[part].to(where)

    compiled = replayed(function)
    for _ in range(8):
        x = wg.randn(6)
        args = wg.Size([2, 3]), slice(0, 1), wg.device("cpu")
        assert bits(compiled(x, *args)) == bits(function(x, *args))
    assert len(lists_of(compiled)) == len(compiled.signatures) == 1
