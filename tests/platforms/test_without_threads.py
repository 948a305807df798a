"""Where no thread can be started, as in WebAssembly, everything runs in the thread that asks for it."""

from __future__ import annotations

import _thread
import sys
import threading
import warnings

import pytest

import wengert as wg
from wengert import nn, profiler
from wengert._core.backward import reentrant
from wengert._core.state import modes
from wengert.utils.data import DataLoader, TensorDataset

ALONE = "no process or thread can be started here"


@pytest.fixture
def no_threads(monkeypatch):
    """Each start of a thread fails as Python's does there."""

    def refuse(*args, **kwargs):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    monkeypatch.setattr(_thread, "start_new_thread", refuse)


def nested(depth: int) -> wg.Tensor:
    """The result of passes that each start another in their middle."""

    class Deeper(wg.autograd.Function):
        @staticmethod
        def forward(ctx, x, depth):
            ctx.save_for_backward(x)
            ctx.further = depth
            return x * x

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            with wg.enable_grad():
                inner = x.detach().requires_grad_()
                made = Deeper.apply(inner, ctx.further - 1) if ctx.further else inner * inner
                made.sum().backward()
            return grad * inner.grad, None

    x = wg.ones(2, requires_grad=True)
    Deeper.apply(x, depth).sum().backward()
    return x.grad


def test_passes_nested_deeper_than_a_thread_holds_go_on_in_the_same_thread(no_threads):
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit + 4000)  # of the interpreted build's frames, which one thread now holds
    try:
        assert nested(reentrant.DEEPEST + 5).tolist() == [2.0, 2.0]
    finally:
        sys.setrecursionlimit(limit)
    assert modes.current().depth == 0


def test_a_pass_there_ends_with_its_own_error(no_threads):
    def fail():
        raise ValueError("of the pass")

    with pytest.raises(ValueError, match="of the pass"):
        reentrant.in_thread(fail, ())
    with pytest.raises(RuntimeError, match="can't start new thread"):
        reentrant.in_thread(threading.Thread(target=fail).start, ())


def test_another_error_at_the_start_of_a_thread_is_not_hidden(monkeypatch):
    done = []

    def start(body, args):
        raise RuntimeError("of a signal handler")

    monkeypatch.setattr(_thread, "start_new_thread", start)
    with pytest.raises(RuntimeError, match="of a signal handler"):
        reentrant.in_thread(done.append, (1,))
    assert not done


@pytest.mark.parametrize("options", [{}, {"persistent_workers": True, "prefetch_factor": 3}])
def test_a_loader_makes_its_batches_itself(no_threads, options):
    loader = DataLoader(TensorDataset(wg.arange(5)), batch_size=2, num_workers=2, **options)
    for _ in range(2):
        with pytest.warns(UserWarning, match=ALONE):
            assert [batch[0].tolist() for batch in loader] == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("platform", ["emscripten", "wasi"])
def test_nor_does_it_try_on_platforms_without_processes(monkeypatch, platform):
    loader = DataLoader(TensorDataset(wg.arange(3)), num_workers=1)
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.warns(UserWarning, match=ALONE):
        assert len(list(loader)) == 3


def test_nothing_else_starts_one(no_threads):
    """Training, large kernels, checkpoints, anomaly mode, profiles, transforms: what might have threads of its own."""
    model = nn.Sequential(nn.Conv1d(2, 4, 3), nn.BatchNorm1d(4), nn.Flatten(), nn.Linear(4 * 62, 3))
    optimiser = wg.optim.AdamW(model.parameters())
    x, target = wg.rand(16, 2, 64, requires_grad=True), wg.randint(3, (16,))
    before = threading.active_count()
    with warnings.catch_warnings(), profiler.profile() as profile:
        warnings.simplefilter("ignore")
        with wg.autograd.set_detect_anomaly(True):
            for _ in range(2):
                optimiser.zero_grad()
                loss = nn.functional.cross_entropy(wg.utils.checkpoint.checkpoint(model, x, use_reentrant=True), target)
                loss.backward()
                optimiser.step()
    assert profile.key_averages()
    assert wg.func.vmap(wg.func.grad(lambda row: (row @ row).sin()))(wg.rand(300, 300)).shape == (300, 300)
    assert wg.rand(400, 400).matmul(wg.rand(400, 400)).sin().sum().isfinite()
    assert threading.active_count() == before
