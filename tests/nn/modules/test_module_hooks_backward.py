"""Full hooks on the backward pass of modules."""

import gc
import threading
import warnings
import weakref
from collections import namedtuple

import pytest

import wengert as wg
from wengert import nn
from wengert.nn.modules import global_hooks
from wengert.nn.modules.module import register_module_full_backward_hook, register_module_full_backward_pre_hook


class Twice(nn.Module):
    def forward(self, x, y=0.0):
        return x * 2 + y


class Call(nn.Module):
    """A module that calls a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *args, **kwargs):
        return self.function(*args, **kwargs)


@pytest.fixture
def either_kind_of_global_hook():
    """Global backward hooks of one kind exclude the other from then on; this fixture forgets which it was."""
    yield
    global_hooks.BackwardKind.full = None


def ones(*shape):
    return wg.ones(*shape, requires_grad=True)


def plain(grads):
    """Gradients as lists; what is None stays None."""
    return tuple(None if grad is None else grad.tolist() for grad in grads)


def collect(seen):
    """A full hook that keeps what it is given."""
    return lambda module, grad_input, grad_output: seen.append((plain(grad_input), plain(grad_output)))


def test_a_full_hook_sees_the_gradients_of_inputs_and_outputs():
    seen, x = [], ones(2)
    net = Twice()
    net.register_full_backward_hook(collect(seen))
    net(x).sum().backward()
    assert seen == [(([2.0, 2.0],), ([1.0, 1.0],))]
    assert x.grad.tolist() == [2.0, 2.0]


def test_a_pre_hook_sees_the_gradients_of_the_outputs_before_the_module_s_backward_runs():
    seen, x = [], ones(2)
    net = Twice()
    net.register_full_backward_hook(lambda *given: seen.append("hook"))
    net.register_full_backward_pre_hook(lambda module, grads: seen.append((module is net, plain(grads))))
    net(x).sum().backward()
    assert seen == [(True, ([1.0, 1.0],)), "hook"]


def test_the_output_of_a_module_with_full_hooks_comes_from_a_node_of_its_own():
    net = Twice()
    net.register_full_backward_pre_hook(lambda module, grads: None)
    node = net(ones(1)).grad_fn
    assert node.name() == "BackwardHookFunctionBackward"
    assert [each.name() for each, _ in node.next_functions] == ["AddBackward0"]


def test_hooks_may_replace_gradients_and_later_ones_see_it():
    seen, x = [], ones(2)
    net = Twice()
    net.register_full_backward_hook(lambda module, grad_input, grad_output: (grad_input[0] * 10,))
    net.register_full_backward_hook(collect(seen))
    net.register_full_backward_pre_hook(lambda module, grads: (grads[0] * 3,))
    net.register_full_backward_pre_hook(lambda module, grads: seen.append(plain(grads)))
    net(x).sum().backward()
    assert seen == [([3.0, 3.0],), (([60.0, 60.0],), ([3.0, 3.0],))]
    assert x.grad.tolist() == [60.0, 60.0]


def test_prepended_hooks_run_first_and_global_ones_before_all(either_kind_of_global_hook):
    order = []
    net = Twice()
    net.register_full_backward_pre_hook(lambda *given: order.append("pre 1"))
    net.register_full_backward_pre_hook(lambda *given: order.append("pre 0"), prepend=True)
    net.register_full_backward_hook(lambda *given: order.append("hook 1"))
    net.register_full_backward_hook(lambda *given: order.append("hook 0"), prepend=True)
    with (
        register_module_full_backward_pre_hook(lambda *given: order.append("global pre")),
        register_module_full_backward_hook(lambda *given: order.append("global hook")),
    ):
        net(ones(1)).sum().backward()
    assert order == ["global pre", "pre 0", "pre 1", "global hook", "hook 0", "hook 1"]


def test_hooks_see_one_entry_for_each_argument_and_each_output():
    seen = []
    net = Call(lambda x, number, y, whole, *, z: (x * y * z, "text", x + 1, x.detach(), whole))
    net.register_full_backward_hook(collect(seen))
    outputs = net(ones(1), 5, ones(1), wg.arange(1), z=ones(1))
    assert outputs[1] == "text"
    assert [each.requires_grad for each in outputs if each != "text"] == [True, True, False, False]
    outputs[0].sum().backward()
    assert seen == [(([1.0], None, [1.0], [0]), ([1.0], None, None, None, None))]


def test_an_input_that_needs_no_gradient_gets_zeros_beside_one_that_does():
    seen, y = [], wg.ones(1)
    net = Twice()
    net.register_full_backward_hook(collect(seen))
    net(ones(1), y).sum().backward()
    assert seen == [(([2.0], [0.0]), ([1.0],))]
    assert y.grad is None and not y.requires_grad


def test_keyword_arguments_are_not_among_the_inputs():
    seen, y = [], ones(1)
    net = Twice()
    net.register_full_backward_hook(collect(seen))
    net(ones(1), y=y).sum().backward()
    assert seen == [(([2.0],), ([1.0],))]
    assert y.grad.tolist() == [1.0]


def test_without_an_input_that_needs_a_gradient_hooks_run_at_the_output_with_a_warning():
    seen = []
    net = nn.Linear(2, 1)
    net.register_full_backward_hook(collect(seen))
    with pytest.warns(UserWarning, match="Full backward hook is firing when gradients are computed with respect to"):
        net(wg.ones(2)).sum().backward()
    assert seen == [((None,), ([1.0],))]


def test_without_an_input_that_needs_a_gradient_hooks_cannot_replace_it():
    net = nn.Linear(2, 1)
    net.register_full_backward_hook(lambda module, grad_input, grad_output: (wg.ones(2),))
    output = net(wg.ones(2))
    with pytest.warns(UserWarning, match="firing"), pytest.raises(RuntimeError, match="should always return None"):
        output.sum().backward()
    assert net.weight.grad is None


def test_a_pre_hook_may_replace_the_gradient_where_no_input_needs_one():
    net = nn.Linear(2, 1)
    net.register_full_backward_pre_hook(lambda module, grads: (grads[0] * 2,))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        net(wg.ones(2)).sum().backward()
    assert net.weight.grad.tolist() == [[2.0, 2.0]]


def test_hooks_do_not_run_where_only_parameters_are_asked_for():
    seen = []
    net = nn.Linear(2, 1)
    net.register_full_backward_hook(lambda *given: seen.append("hook"))
    net.register_full_backward_pre_hook(lambda *given: seen.append("pre"))
    (grad,) = wg.autograd.grad(net(ones(2)).sum(), net.weight)
    assert grad.tolist() == [[1.0, 1.0]]
    assert seen == ["pre"]


def test_hooks_do_not_run_where_the_pass_goes_around_the_output():
    seen, kept = [], []
    net = Call(lambda x: kept.append(x) or x * 2)
    net.register_full_backward_hook(lambda *given: seen.append("hook"))
    net(ones(1))
    kept[0].sum().backward()
    assert seen == []


def test_hooks_run_in_each_pass_and_for_each_call():
    seen, x = [], ones(1)
    net = Twice()
    net.register_full_backward_hook(collect(seen))
    output = net(net(x)).sum()
    output.backward(retain_graph=True)
    output.backward()
    assert seen == [(([2.0],), ([1.0],)), (([4.0],), ([2.0],))] * 2
    assert x.grad.tolist() == [8.0]


def test_gradients_in_hooks_can_be_differentiated_again():
    seen, x = [], ones(1)
    net = Twice()
    net.register_full_backward_hook(collect(seen))
    (grad,) = wg.autograd.grad((net(x) ** 3).sum(), x, create_graph=True)
    grad.sum().backward()
    assert seen == [(([24.0],), ([12.0],)), (([48.0],), ([24.0],))]
    assert x.grad.tolist() == [48.0]


def test_the_hooks_are_those_at_the_time_of_the_call():
    seen = []
    net = Twice()
    handle = net.register_full_backward_hook(lambda *given: seen.append("early"))
    output = net(ones(1)).sum()
    handle.remove()
    net.register_full_backward_hook(lambda *given: seen.append("late"))
    output.backward()
    assert seen == ["early"]


def test_a_named_tuple_stays_one():
    seen = []
    pair = namedtuple("pair", "a b")
    net = Call(lambda x: pair(x * 2, x * 3))
    net.register_full_backward_hook(collect(seen))
    output = net(ones(1))
    assert isinstance(output, pair)
    output.a.sum().backward()
    assert seen == [(([2.0],), ([1.0], None))]


@pytest.mark.parametrize("container", [list, lambda pair: dict(enumerate(pair))])
def test_another_container_as_output_is_passed_on_with_a_warning(container):
    seen, x = [], ones(1)
    net = Call(lambda x: container([x * 2]))
    net.register_full_backward_hook(collect(seen))
    with pytest.warns(UserWarning, match="module output should be a Tensor or a tuple of Tensors but received"):
        output = net(x)
    output[0].sum().backward()
    assert seen == []
    assert x.grad.tolist() == [2.0]


def test_without_recording_nothing_is_wrapped():
    net = nn.Sequential(Twice(), nn.ReLU(inplace=True))
    net[0].register_full_backward_hook(lambda *given: None)
    with wg.no_grad():
        assert net(ones(1)).grad_fn is None
    assert Twice()(wg.ones(1)).grad_fn is None


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda grad: (grad, grad), r"Backward hook returned an invalid number of grad_input, got 2, but expected 1"),
        (lambda grad: grad, r"Backward hook returned an invalid number of grad_input"),
        (lambda grad: (wg.ones(3),), "has changed the size of value"),
        (lambda grad: (grad.double(),), "has changed the type of value"),
    ],
)
def test_a_hook_that_returns_something_else_is_refused(wrong, message):
    x = ones(2)
    net = Twice()
    net.register_full_backward_hook(lambda module, grad_input, grad_output: wrong(grad_input[0]))
    output = net(x)
    with pytest.raises(RuntimeError, match=message):
        output.sum().backward()
    assert x.grad is None


def test_a_pre_hook_that_returns_another_number_is_refused():
    net = Twice()
    net.register_full_backward_pre_hook(lambda module, grads: (grads[0], grads[0]))
    output = net(ones(2))
    with pytest.raises(RuntimeError, match="Backward pre hook returned an invalid number of grad_output, got 2, but"):
        output.sum().backward()


@pytest.mark.parametrize("register", ["register_full_backward_hook", "register_full_backward_pre_hook"])
def test_a_hook_that_returns_a_number_is_refused(register):
    net = Twice()
    getattr(net, register)(lambda *given: 3)
    output = net(ones(2))
    with pytest.raises(TypeError, match="has no len"):
        output.sum().backward()


def test_a_hook_may_take_a_gradient_away():
    x = ones(2)
    net = Twice()
    net.register_full_backward_hook(lambda *given: (None,))
    net(x).sum().backward()
    assert x.grad is None


def test_writing_to_a_wrapped_output_is_refused():
    net = Twice()
    net.register_full_backward_hook(lambda *given: None)
    output = net(ones(2))
    with pytest.raises(RuntimeError, match="Output 0 of BackwardHookFunction is a view and is being modified inplace"):
        output.add_(1)
    assert output.tolist() == [2.0, 2.0]


def test_writing_to_a_wrapped_input_is_refused():
    x = ones(2) * 1
    net = nn.ReLU(inplace=True)
    net.register_full_backward_hook(lambda *given: None)
    with pytest.raises(RuntimeError, match="Output 0 of BackwardHookFunction is a view and is being modified inplace"):
        net(x)


def test_after_an_error_in_a_hook_everything_is_usable():
    def refuse(*given):
        raise ValueError("refused")

    x = ones(2)
    net = Twice()
    handle = net.register_full_backward_hook(refuse)
    output = net(x).sum()
    with pytest.raises(ValueError, match="refused"):
        output.backward(retain_graph=True)
    handle.remove()
    with pytest.raises(ValueError, match="refused"):
        output.backward()
    assert x.grad is None
    net(x).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_the_graph_keeps_a_module_with_full_hooks_alive():
    seen = []

    def output():
        net = Twice()
        net.register_full_backward_hook(lambda module, *grads: seen.append(type(module)))
        return net(ones(1))

    output().sum().backward()
    assert seen == [Twice]


def test_a_module_with_hooks_that_keeps_its_output_is_collected():
    net = Twice()
    net.register_full_backward_hook(lambda *given: None)
    net.register_full_backward_pre_hook(lambda *given: None)
    net.kept = net(ones(1))
    alive = weakref.ref(net)
    del net
    gc.collect()
    assert alive() is None


def test_threads_that_run_passes_through_one_graph_do_not_mix_their_gradients():
    together = threading.Barrier(2, timeout=30)
    seen = []
    net = Twice()
    net.register_full_backward_hook(collect(seen))
    net.register_full_backward_pre_hook(lambda *given: (together.wait(), None)[1])
    x = ones(1)
    output = net(Call(lambda x: x)(x))

    def run(factor):
        wg.autograd.grad(output, x, wg.full((1,), factor), retain_graph=True)

    threads = [threading.Thread(target=run, args=(factor,)) for factor in (1.0, 5.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(seen) == [(([2.0],), ([1.0],)), (([10.0],), ([5.0],))]


def test_many_calls_with_hooks_leave_nothing_alive():
    net, x = Twice(), ones(1)
    net.register_full_backward_hook(lambda *given: None)
    alive = []
    for _ in range(200):
        output = net(x).sum()
        alive.append(weakref.ref(output.grad_fn))
        output.backward()
    del output
    assert [each() for each in alive] == [None] * 200
