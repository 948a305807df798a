"""Multithreaded autograd: concurrency, non-determinism, graph retaining, thread safety of nodes and hooks."""

from __future__ import annotations

import threading

from tests.mechanics.common import equal, in_threads

FREED = "Trying to backward through the graph a second time"


def test_a_train_function_runs_in_ten_threads(torch):
    """ "User could train their model with multithreading code (e.g. Hogwild training), and does not block on the
    concurrent backward computations, example code could be" """
    gradients = []

    def train_fn():
        x = torch.ones(5, 5, requires_grad=True)
        y = (x + 3) * (x + 4) * 0.5
        y.sum().backward()
        gradients.append(x.grad)

    threads = []
    for _ in range(10):
        p = threading.Thread(target=train_fn, args=())
        p.start()
        threads.append(p)
    for p in threads:
        p.join()
    assert len(gradients) == 10
    assert all(each.tolist() == [[4.5] * 5] * 5 for each in gradients)


def test_backward_and_grad_run_concurrently(torch):
    """ "When you run backward() or grad() via python or C++ API in multiple threads on CPU, you are expecting to see
    extra concurrency instead of serializing all the backward calls in a specific order during execution." """
    inside = threading.Barrier(2, timeout=30)

    def meet(grad):
        inside.wait()  # both passes are in the middle at the same time

    def work(number):
        x = torch.ones(2, requires_grad=True)
        y = x * 2
        y.register_hook(meet)
        if number:
            y.sum().backward()
            return x.grad.tolist()
        return torch.autograd.grad(y.sum(), x)[0].tolist()

    assert in_threads(2, work) == [[2.0, 2.0]] * 2


def test_the_calling_thread_drives_its_backward(torch):
    """ "Since Autograd allows the caller thread to drive its backward execution for potential parallelism ..." """

    def work(number):
        seen = []
        x = torch.ones(2, requires_grad=True)
        x.register_hook(lambda grad: seen.append(threading.get_ident()))
        (x * 2).sum().backward()
        return seen == [threading.get_ident()]

    assert in_threads(3, work) == [True] * 3


def test_parameters_are_shared_across_threads_in_hogwild_training(torch):
    """ "If you are calling backward() on multiple thread concurrently but with shared inputs (i.e. Hogwild CPU
    training). Since parameters are automatically shared across threads, ..." """
    weight = torch.ones(4, requires_grad=True)
    weight.grad = torch.zeros(4)

    def work(number):
        (weight * float(number + 1)).sum().backward()
        return True

    assert in_threads(4, work) == [True] * 4
    assert weight.grad is not None and weight.grad.shape == (4,)


def test_no_update_of_a_shared_gradient_is_lost(torch):
    """ "... gradient accumulation might become non-deterministic on backward calls across threads, because two backward
    calls might access and try to accumulate the same .grad attribute." Here each update is added, none is lost."""
    for size in (3, 100_000):
        weight = torch.zeros(size, requires_grad=True)

        def work(number, weight=weight):
            for _ in range(20):
                (weight * 3).sum().backward()

        in_threads(6, work)
        assert bool((weight.grad == 360.0).all()), size


def test_grad_avoids_the_non_determinism(torch):
    """ "User could use the functional API torch.autograd.grad to calculate the gradients instead of backward() to avoid
    non-determinism." """
    weight = torch.linspace(-1, 1, 50).requires_grad_()

    def work(number):
        return [torch.autograd.grad((weight * weight * (number + 1)).sum(), weight)[0].tolist() for _ in range(5)]

    for number, found in enumerate(in_threads(6, work)):
        alone = torch.autograd.grad((weight * weight * (number + 1)).sum(), weight)[0].tolist()
        assert found == [alone] * 5
    assert weight.grad is None


def test_a_shared_first_part_with_retain_graph_serves_all_threads(torch):
    """ "If part of the autograd graph is shared between threads, i.e. run first part of forward single thread, then run
    second part in multiple threads, then the first part of graph is shared. ... they should use retain_graph=True." """
    x = torch.ones(3, requires_grad=True)
    shared = (x * 2).exp()

    def work(number):
        second = (shared * float(number)).sum()
        return torch.autograd.grad(second, x, retain_graph=True)[0]

    slope = 2 * shared.detach()
    for number, found in enumerate(in_threads(8, work)):
        assert (found - number * slope).abs().max().item() < 1e-4


def test_destroying_a_shared_graph_is_an_error_as_of_a_second_backward(torch):
    """ "In this case different threads execute grad() or backward() on the same graph might have issue of destroying
    the graph on the fly of one thread, and the other thread will crash in this case. Autograd will error out to the
    user similar to what call backward() twice with out retain_graph=True, and let the user know they should use
    retain_graph=True." """
    x = torch.ones(3, requires_grad=True)
    shared = (x * 2).exp().sum()
    torch.autograd.grad(shared, x)

    def work(number):
        torch.autograd.grad(shared, x)

    for found in in_threads(4, work):
        assert type(found) is RuntimeError and FREED in str(found) and "retain_graph=True" in str(found)


def test_threads_that_race_for_a_graph_get_its_gradient_or_the_clear_error(torch):
    """ "Autograd will error out to the user similar to what call backward() twice with out retain_graph=True ..." """
    for _ in range(10):
        x = torch.ones(3, requires_grad=True)
        shared = ((x * 2).exp() * x).sum()
        expected = torch.autograd.grad(shared, x, retain_graph=True)[0].tolist()

        def work(number, shared=shared, x=x):
            return torch.autograd.grad(shared, x)[0].tolist()

        results = in_threads(4, work)
        errors = [each for each in results if isinstance(each, Exception)]
        assert all(type(each) is RuntimeError and FREED in str(each) for each in errors)
        assert all(each == expected for each in results if not isinstance(each, Exception))


def test_custom_functions_are_thread_safe(torch):
    """ "Custom Python autograd.function is automatically thread safe because of GIL." """

    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2

    def work(number):
        x = torch.full((3,), float(number), requires_grad=True)
        for _ in range(10):
            Cube.apply(x).sum().backward()
        return x.grad.tolist()

    assert in_threads(6, work) == [[30.0 * number**2] * 3 for number in range(6)]


def test_built_in_nodes_with_state_are_safe_for_parallel_backwards_of_one_graph(torch):
    """ "for built-in C++ Autograd Nodes(e.g. AccumulateGrad, CopySlices) ..., the Autograd Engine uses thread mutex
    locking to protect thread safety on autograd Nodes that might have state write/read." """
    x = torch.ones(4, requires_grad=True)
    y = x * 2
    y[1:3] *= 5
    y[0] = x[3] * 7
    total = (y * y.detach()).sum()

    def work(number):
        return torch.autograd.grad(total, x, retain_graph=True)[0].tolist()

    expected = work(0)
    assert in_threads(6, work) == [expected] * 6 and expected == [0.0, 100.0, 100.0, 53.0]


def test_hooks_run_in_the_thread_that_runs_the_pass(torch):
    """ "Autograd relies on the user to write thread safe C++ hooks. If you want the hook to be correctly applied in
    multithreading environment, you will need to write proper thread locking code to ensure the hooks are thread
    safe." """
    x = torch.ones(2, requires_grad=True)
    lock, count = threading.Lock(), [0]

    def hook(grad):
        with lock:
            count[0] += 1

    x.register_hook(hook)

    def work(number):
        for _ in range(10):
            torch.autograd.grad((x * 2).sum(), x)

    in_threads(5, work)
    assert count[0] == 50


def test_modes_of_a_thread_do_not_reach_others(torch):
    """ "Multithreaded Autograd": grad mode belongs to the thread that set it."""
    entered, looked = threading.Event(), threading.Event()

    def inside():
        with torch.no_grad():
            entered.set()
            looked.wait(10)

    thread = threading.Thread(target=inside)
    thread.start()
    entered.wait(10)
    here = torch.is_grad_enabled() and (torch.ones(1, requires_grad=True) * 2).requires_grad
    looked.set()
    thread.join()
    assert here

    with torch.no_grad():
        assert in_threads(2, lambda number: torch.is_grad_enabled()) == [True, True]


def test_create_graph_belongs_to_the_pass(torch):
    """ "Multithreaded Autograd": a recorded pass of one thread does not make another thread's pass recorded."""

    def work(number):
        x = torch.tensor([1.5], requires_grad=True)
        found = []
        for _ in range(10):
            (grad,) = torch.autograd.grad((x**3).sum(), x, create_graph=number % 2 == 0)
            found.append(grad.requires_grad)
        return found

    assert in_threads(4, work) == [[True] * 10, [False] * 10] * 2


def test_multithreading_can_be_switched_off_and_on(torch):
    """ "Multithreaded Autograd": `autograd.set_multithreading_enabled`."""
    with torch.autograd.set_multithreading_enabled(False):
        x = torch.ones(2, requires_grad=True)
        (x * 2).sum().backward()
        assert equal(x.grad, 2.0, 2.0)
    torch.autograd.set_multithreading_enabled(True)
