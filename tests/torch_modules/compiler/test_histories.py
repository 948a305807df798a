"""Results of replayed functions that require a gradient: a program gets from them what eager calls give."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import wengert as wg
from wengert._core.capture.segments import CompiledFunctionBackward
from wengert.testing.calls import tensors_in

CALLS = 12


def bits(value: Any) -> Any:
    """Return everything of a result that is to be equal."""
    if isinstance(value, wg.Tensor):
        return value.dtype, value.shape, value.stride(), value._array_.tobytes(), value._version, value.requires_grad
    if isinstance(value, (list, tuple)):
        return [bits(part) for part in value]
    return value


def outcome(run: Callable[[], Any]) -> Any:
    """Return the result of a scenario, or its error, and the warnings."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = bits(run())
        except Exception as error:
            result = type(error), str(error)
    return result, [str(each.message).partition("Traceback")[0] for each in seen]


def segments_of(compiled: Any) -> list[Any]:
    lists = [captured for signature in compiled.signatures.values() for captured in signature.lists]
    return [segment for captured in lists if captured.graph is not None for segment in captured.graph.segments]


def replays(compiled: Any) -> int:
    """Return the number of backward passes that lists have run, or compared."""
    return sum(known.replays for segment in segments_of(compiled) for known in segment.lists)


def alike(function: Callable[..., Any], scenario: Callable[..., Any], lists: bool | None = True) -> Any:
    """Run a scenario with a function and with its replay, in every call with other numbers; compare the outcomes.

    Args:
        scenario: a function of the function, a leaf and a second leaf.
        lists: the gradients are computed by lists; None if the function is called eagerly in the end.
    """
    compiled = wg.compile(function, replay=True, fullgraph=True)
    for number in range(CALLS):
        results = []
        for taken in (function, compiled):
            wg.manual_seed(number)
            x, w = wg.randn(3, 4, requires_grad=True), wg.randn(4, 4, requires_grad=True)
            result, seen = outcome(lambda: scenario(taken, x, w))  # noqa: B023 - called at once
            grads = [None if each is None else bits(each) for each in (x.grad, w.grad)]
            results.append((result, grads, [text for text in seen if "of higher order" not in text]))
        assert results[0] == results[1], number
    if lists is not None:
        assert segments_of(compiled)
        assert bool(replays(compiled)) == lists
    return compiled


def net(x: Any, w: Any) -> Any:
    h = (x @ w).sin()
    return (h * x).exp().mean()


def test_a_loss_is_one_node_whose_gradients_come_from_a_list():
    def scenario(f, x, w):
        loss = f(x, w)
        loss.backward()
        return loss

    compiled = alike(net, scenario)
    x, w = wg.randn(3, 4, requires_grad=True), wg.randn(4, 4, requires_grad=True)
    loss = [compiled(x, w) for _ in range(2)][-1]  # no verification
    assert loss.grad_fn.name() == "CompiledFunctionBackward" and not loss.is_leaf
    assert [type(node).__name__ for node, _ in loss.grad_fn.next_functions][:1] == ["AccumulateGrad"]


def test_a_compiled_function_in_the_middle_of_a_graph():
    def scenario(f, x, w):
        h = (x * 2).sin()
        y = f(h, w * 3) * h.sum() + f(x, w)
        y.backward()
        return y

    alike(net, scenario)


def test_training_with_an_optimiser_outside():
    def course(compile_it: bool) -> Any:
        wg.manual_seed(0)
        model = wg.nn.Sequential(wg.nn.Linear(4, 8), wg.nn.Tanh(), wg.nn.Linear(8, 1))
        optim = wg.optim.Adam(model.parameters(), 0.01)

        def loss_of(x, y):
            return ((model(x) - y) ** 2).mean()

        taken = wg.compile(loss_of, replay=True, fullgraph=True) if compile_it else loss_of
        losses = []
        for number in range(2 * CALLS):
            wg.manual_seed(number)
            x = wg.randn(5, 4)
            optim.zero_grad()
            loss = taken(x, x.sum(1, keepdim=True))
            loss.backward()
            optim.step()
            losses.append(loss.item())
        if compile_it:
            assert replays(taken) > CALLS
        return losses, [bits(each) for each in model.parameters()], [bits(each.grad) for each in model.parameters()]

    assert course(True) == course(False)


def recurrent() -> Any:
    cell = wg.nn.LSTMCell(3, 5)

    def step(f: Any, x: Any) -> Any:
        h = c = wg.zeros(2, 5)
        for part in x:
            h, c = f(part, h, c)
        return h.sum() + c.sin().sum()

    return cell, lambda x, h, c: cell(x, (h, c)), step


def images() -> Any:
    nn = wg.nn
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Dropout(0.3), nn.Flatten())
    return model, lambda x: model(x), lambda f, x: f(x.reshape(-1, 1, 3, 4)[:, :, :, :3]).exp().mean()


def attention() -> Any:
    model = wg.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.1, batch_first=True)
    return model, lambda x: model(x), lambda f, x: (f(x.reshape(2, -1, 4)) ** 2).mean()


def sparse() -> Any:
    model = wg.nn.Embedding(10, 3, sparse=True)
    return model, lambda index: model(index).sin().sum(), lambda f, x: f((x.flatten()[:5].abs() * 3).long())


def many() -> Any:
    model = wg.nn.ParameterList([wg.nn.Parameter(wg.randn(3)) for _ in range(100)])

    def product(x: Any) -> Any:
        for parameter in model:
            x = (x * parameter).sin() + 0.5
        return x.sum()

    return model, product, lambda f, x: f(x[0]) * f(x[1])


@pytest.mark.parametrize("parts", [recurrent, images, attention, sparse, many])
def test_modules_with_the_pass_outside(parts):
    def course(compile_it: bool) -> Any:
        wg.manual_seed(0)
        model, function, step = parts()
        taken = wg.compile(function, replay=True, fullgraph=True) if compile_it else function
        seen = []
        for number in range(CALLS):
            wg.manual_seed(number)
            loss = step(taken, wg.randn(4, 2, 3))
            model.zero_grad()
            loss.backward()
            grads = [each.grad.to_dense() for each in model.parameters()]
            seen.append(bits([loss, *grads, *model.buffers()]))
        assert not compile_it or segments_of(taken)
        return seen

    assert course(True) == course(False)


def test_a_whole_step_may_return_a_loss_whose_graph_was_freed():
    def course(compile_it: bool) -> Any:
        wg.manual_seed(0)
        model = wg.nn.Linear(4, 1)
        optim = wg.optim.SGD(model.parameters(), 0.1, momentum=0.9)

        def step(x):
            optim.zero_grad()
            loss = (model(x) ** 2).mean()
            loss.backward()
            optim.step()
            return loss

        taken = wg.compile(step, replay=True, fullgraph=True) if compile_it else step
        losses = []
        for number in range(CALLS):
            wg.manual_seed(number)
            loss = taken(wg.randn(5, 4))
            losses.append((bits(loss), loss.requires_grad, outcome(loss.backward)))
        assert "a second time" in str(losses[-1])
        return losses, [bits(each) for each in model.parameters()]

    assert course(True) == course(False)


def several(x: Any, w: Any) -> Any:
    h = (x @ w).sin()
    return h, h.sum(), (x * 2).sum(), h.detach() * 2, x, w.t(), h[0]


SEVERAL = {
    "the first": lambda y: y[0].sum(),
    "one that depends on it": lambda y: y[1],
    "both": lambda y: (y[0] * y[0]).sum() * y[1],
    "an independent one": lambda y: y[2] * 3,
    "the argument": lambda y: y[4].sum() + y[2],
    "a view of an argument": lambda y: (y[5] ** 2).sum(),
    "a view of a result": lambda y: (y[6] ** 2).sum() + y[0].sum(),
    "all": lambda y: sum((each * each).sum() for each in y),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_results_of_which_some_require_a_gradient(name):
    def scenario(f, x, w):
        results = f(x, w)
        loss = SEVERAL[name](results)
        loss.backward()
        return [results, [each.requires_grad for each in results], [each._is_view() for each in results]]

    alike(several, scenario, lists=name != "a view of an argument")


def test_gradients_of_several_results_in_passes_of_their_own():
    def scenario(f, x, w):
        first, second = f(x, w)
        first.backward()
        second.backward()
        return first, second

    alike(lambda x, w: ((x * x).sin().sum(), (w * w).cos().sum()), scenario)
    alike(lambda x, w: ((x @ w).tanh().sum(), (w @ w).tanh().sum()), scenario)

    def shared(x, w):
        h = (x @ w).tanh()
        return h.exp().sum(), h.sin().sum()

    alike(shared, scenario)  # the error of a second pass through the part that both have


def test_gradients_at_results_and_at_inputs():
    def scenario(f, x, w):
        h = x * 2
        results = f(h, w)
        loss = results[1] * 2 + (results[0] ** 2).sum()
        return wg.autograd.grad(loss, [results[0], results[1], h, w])

    alike(several, scenario)

    def some(f, x, w):
        h = x * 2
        loss = f(h, w)
        return [
            *wg.autograd.grad(loss, [w], retain_graph=True),
            *wg.autograd.grad(loss, [h], retain_graph=True),
            *wg.autograd.grad(loss, [x, w]),
        ]

    alike(net, some)


def test_backward_for_some_inputs_only():
    def scenario(f, x, w):
        loss = f(x, w)
        loss.backward(inputs=[w], retain_graph=True)
        loss.backward()

    alike(net, scenario)


def test_a_retained_graph_and_a_second_pass_without_one():
    def scenario(f, x, w):
        loss = f(x, w)
        loss.backward(retain_graph=True)
        loss.backward()
        loss.backward()

    compiled = alike(net, scenario)
    x, w = wg.randn(3, 4, requires_grad=True), wg.randn(4, 4, requires_grad=True)
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        scenario(compiled, x, w)
    alike(lambda x, w: (x + w.sum()).sum(), scenario)  # nothing is saved: no error


WRITES = {
    "an input": lambda x, w, y: x.detach().mul_(2),
    "an inner input": lambda x, w, y: w.data.zero_(),
    "a result that is saved": lambda x, w, y: y[0].detach().add_(1),
    "a result": lambda x, w, y: y[0].mul_(2),
    "a result that is not saved": lambda x, w, y: y[1].mul_(2),
    "nothing": lambda x, w, y: None,
}


@pytest.mark.parametrize("name", WRITES)
def test_writes_after_the_call_are_refused_as_they_are_eagerly(name):
    def function(x, w):
        h = (x * w.sum()).exp()
        return h, (h + x).sum()

    def scenario(f, x, w):
        y = f(x, w)
        WRITES[name](x, w, y)
        (y[0].sum() + y[1]).backward()
        return y

    alike(function, scenario, lists=True)


def test_a_write_to_saved_memory_inside_the_function_is_refused_by_the_backward_pass():
    def function(x, w):
        y = (x @ w).exp()
        y.mul_(2)
        return y.sum()

    def scenario(f, x, w):
        f(x, w).backward()

    alike(function, scenario, lists=False)


def test_writes_inside_the_function_to_tensors_of_its_own():
    def function(x, w):
        total = wg.zeros(3, 4)
        total += x * 2
        total[0] = (w[0] * x[1]).sin()
        total[:, 1].mul_(w[:3, 0])
        return total, total.sum()

    def scenario(f, x, w):
        y = f(x, w)
        (y[0].exp().sum() * y[1]).backward()
        return y

    alike(function, scenario)


def test_hooks_of_leaves_inputs_and_results_are_called_with_the_same_gradients():
    def scenario(f, x, w):
        seen: list[Any] = []

        def hook(name, factor):
            def called(grad):
                seen.append((name, grad.detach().clone()))
                return grad * factor

            return called

        x.register_hook(hook("x", 2))
        w.register_post_accumulate_grad_hook(lambda leaf: seen.append(("w", leaf.grad.clone())))
        h = x * 3
        h.register_hook(hook("h", 3))
        results = f(h, w)
        results[0].register_hook(hook("result", 5))
        results[1].retain_grad()
        (results[0].sum() + results[1] * results[2]).backward()
        return [*[list(each) for each in sorted(seen, key=lambda each: each[0])], results[1].grad]

    alike(several, scenario)


def test_hooks_of_leaves_that_a_pass_does_not_reach_are_not_called():
    def scenario(f, x, w):
        calls: list[str] = []
        x.register_hook(lambda grad: calls.append("x") or grad.clamp(-1, 1))
        w.register_hook(lambda grad: calls.append("w") or grad.clamp(-1, 1))
        first, second, both = f(x, w)
        first.backward(retain_graph=True)
        calls.append("second")
        second.backward(retain_graph=True)
        calls.append("both")
        both.backward()
        return [str(calls)]

    alike(lambda x, w: ((x * x).sin().sum(), (w * w).cos().sum(), (x @ w).sin().sum()), scenario)


def test_hooks_that_fail_leave_the_error_and_the_graph():
    def scenario(f, x, w):
        def fail(grad):
            raise ValueError("of the program")

        y = f(x * 1, w)
        handle = y.register_hook(fail)
        try:
            y.backward()
        except ValueError:
            handle.remove()
        y.backward()
        return y

    alike(net, scenario)


def test_gradients_of_higher_order():
    def scenario(f, x, w):
        h = x * 2
        y = f(h, w)
        g, k = wg.autograd.grad(y, [h, w], create_graph=True)
        ((g * g).sum() + k.sin().sum()).backward()
        return y, g, k

    alike(net, scenario, lists=None)

    def reused(f, x, w):
        y = f(x, w)
        (g,) = wg.autograd.grad(y, [x], create_graph=True)
        ((g * g).sum() * y).backward()
        return y, g

    alike(net, reused, lists=None)

    def freed(f, x, w):
        y = f(x, w)
        (g,) = wg.autograd.grad(y, [x], create_graph=True, retain_graph=False)
        (g * g).sum().backward()

    alike(net, freed, lists=None)


def test_after_gradients_of_higher_order_the_function_is_called_eagerly_with_one_warning():
    compiled = wg.compile(net, replay=True)
    x, w = wg.randn(3, 4, requires_grad=True), wg.randn(4, 4, requires_grad=True)
    for _ in range(8):
        y = compiled(x, w)
    wg.autograd.grad(y, x, create_graph=True)
    with pytest.warns(UserWarning, match="net is called eagerly: gradients of higher order"):
        assert compiled(x, w).grad_fn.name() == "MeanBackward0"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compiled(x, w).grad_fn.name() == "MeanBackward0"
    wg.compiler.reset()
    assert {compiled(x, w).grad_fn.name() for _ in range(8)} == {"MeanBackward0", "CompiledFunctionBackward"}


def test_hessians_and_gradgradcheck():
    compiled = wg.compile(lambda x: (x.sin() * x).sum(), replay=True, fullgraph=True)
    x = wg.randn(4, dtype=wg.float64, requires_grad=True)
    for _ in range(6):
        (compiled(x) * 2).backward()
        assert compiled(x).requires_grad
    assert wg.autograd.gradcheck(compiled, (x,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert wg.autograd.gradgradcheck(compiled, (x,))


def test_anomaly_detection_finds_the_operator():
    def function(x, w):
        return (w * 2).sum() + (x - x).sqrt().sum()

    def scenario(f, x, w):
        y = f(x, w)
        with wg.autograd.set_detect_anomaly(True):
            (y * 0).backward()

    alike(function, scenario, lists=False)


def test_a_profile_sees_the_nodes_of_a_pass():
    compiled = wg.compile(net, replay=True, fullgraph=True)
    x, w = wg.randn(3, 4, requires_grad=True), wg.randn(4, 4, requires_grad=True)
    for _ in range(8):
        compiled(x, w).backward()
    y = compiled(x, w)
    with wg.profiler.profile() as profile:
        y.backward()
    assert any("SinBackward" in event.key for event in profile.key_averages())


def test_no_grad_and_frozen_parameters():
    def scenario(f, x, w):
        with wg.no_grad():
            first = f(x, w)
        w.requires_grad_(False)
        second = f(x, w)
        second.backward()
        return first, second, first.requires_grad

    alike(net, scenario)


def test_results_that_are_written_to_views_of_them_and_of_arguments():
    def scenario(f, x, w):
        h = x * 2
        results = f(h, w)
        results[0].add_(1)
        results[0][1].mul_(3)
        part = results[6]
        turned = results[5] * 2
        (results[0] ** 2).sum().backward(retain_graph=True)
        (part * part).sum().backward(retain_graph=True)
        turned.sum().backward()
        return results[0], part, turned

    alike(several, scenario)


def test_hooks_for_saved_tensors_see_the_function_itself():
    def scenario(f, x, w):
        packed: list[Any] = []

        def pack(tensor):
            packed.append(tensor.shape)
            return tensor.detach().clone()

        with wg.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            y = f(x, w)
        y.backward()
        f(x, w).backward()
        return [str(packed), y]

    alike(net, scenario)


class Cube(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.save_for_backward(x)
        ctx.factor = factor
        return x**3 * factor

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 3 * x * x * ctx.factor, None


def test_custom_functions():
    def scenario(f, x, w):
        y = f(x, w)
        y.backward()
        return y

    alike(lambda x, w: (Cube.apply(x, 2.0) * Cube.apply(w[0], 3.0)).sum(), scenario)

    def second(f, x, w):
        (g,) = wg.autograd.grad(f(x, w), x, create_graph=True)
        (g * g).sum().backward()
        return g

    alike(lambda x, w: (Cube.apply(x, 2.0) * w[0]).sum(), second, lists=None)


def test_the_order_of_sums_and_the_sign_of_zeros():
    def function(x, w):
        return (x[0] * w[0]).sum() + (x[1:] * w[1]).sin().sum() - x.sum() * 0

    def scenario(f, x, w):
        y = f(x, w) + (x * -0.0).sum() + (x[2] * w[3]).sum() * f(x, w)
        y.backward()
        return y

    alike(function, scenario)


def test_gradients_that_do_not_arrive():
    def scenario(f, x, w):
        results = f(x, w)
        return [
            wg.autograd.grad(results[2], [x, w], allow_unused=True),
            wg.autograd.grad(results[0].sum(), [w], retain_graph=True),
            wg.autograd.grad(results[1], [x, w], allow_unused=True),
        ]

    alike(several, scenario)


def test_threads_run_forward_and_backward_of_one_function():
    compiled = wg.compile(several, replay=True, fullgraph=True)
    failed: list[Any] = []

    def work(x: Any, w: Any) -> None:
        for number in range(60):
            grads = []
            for taken in (several, compiled):
                x.grad = w.grad = None
                first, second = taken(x * number, w)[:2]
                (first.exp().sum() * second).backward()
                grads.append(bits([x.grad, w.grad]))
            if grads[0] != grads[1]:
                failed.append(number)

    pairs = [(wg.randn(3, 4, requires_grad=True), wg.randn(4, 4, requires_grad=True)) for _ in range(4)]
    threads = [threading.Thread(target=work, args=pair) for pair in pairs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and replays(compiled)


def test_saved_memory_is_freed_by_the_pass_and_with_the_result():
    compiled = wg.compile(net, replay=True, fullgraph=True)
    x, w = wg.randn(3, 4, requires_grad=True), wg.randn(4, 4, requires_grad=True)
    for _ in range(8):
        compiled(x, w).backward()
    gc.collect()
    gc.disable()
    try:
        y = compiled(x, w)
        node = y.grad_fn
        assert isinstance(node, CompiledFunctionBackward) and node.kept
        arrays = [weakref.ref(array) for array in node.kept if array is not x._array_ and array is not w._array_]
        y.backward()
        assert arrays and node.kept is None and all(reference() is None for reference in arrays)
        reference = weakref.ref(compiled(x, w).grad_fn)
        assert reference() is None
        other = wg.randn(3, 4, requires_grad=True)
        gone = weakref.ref(other._storage_)
        y = compiled(other, w)
        del other
        y.backward()
        assert gone() is not None  # the leaf is the end of the graph
        del y
        assert gone() is None
    finally:
        gc.enable()


def hooked(y: Any) -> Any:
    y.register_hook(lambda grad: grad * 2)
    return y


def packed(x: Any) -> Any:
    with wg.autograd.graph.saved_tensors_hooks(lambda tensor: tensor.clone(), lambda tensor: tensor):
        return (x * x).sum()


class Holding(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x.detach()
        return x * x

    @staticmethod
    def backward(ctx, grad):
        return grad * 2 * ctx.x


REFUSED = {
    "a hook is registered inside": (lambda x, w: hooked(x * w.sum()).exp(), "has a hook"),
    "a hook saves": (lambda x, w: packed(x), "saved by a hook"),
    "a tensor is an attribute of ctx": (lambda x, w: Holding.apply(x), "as an attribute of ctx"),
    "a leaf of its own": (lambda x, w: (x.detach().clone().requires_grad_() * 2).sum(), "that the function itself"),
    "an argument gets a history": (lambda x, w: (x * 1, w.mul_(x[0]))[0], "gets a history"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_captured_is_called_eagerly_with_the_reason(name):
    function, reason = REFUSED[name]
    compiled = wg.compile(function, replay=True)
    with pytest.warns(UserWarning, match=reason):
        for number in range(6):
            wg.manual_seed(number)
            x, w = wg.randn(3, 4, requires_grad=True), wg.randn(4, 4)
            other = x.detach().clone().requires_grad_()
            results = list(tensors_in(compiled(x, w))), list(tensors_in(function(other, w)))
            results[0][0].sum().backward()
            results[1][0].sum().backward()
            assert bits([x.grad, results[0]]) == bits([other.grad, results[1]])
    assert not segments_of(compiled)


def test_explain_tells_of_the_lists_of_gradients():
    compiled = wg.compile(several, replay=True, fullgraph=True)
    for _ in range(8):
        x, w = wg.randn(3, 4, requires_grad=True), wg.randn(4, 4, requires_grad=True)
        compiled(x, w)[1].backward()
    text = wg.compiler.explain(compiled)
    assert "gradients of 2 nodes: SinBackward0, MmBackward0" in text and "passes" in text
