"""Threads of the native kernels: their number changes no result, and a forked child can compute."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from wengert import _kernels


@pytest.fixture
def thread_count(native):
    before = native.get_num_threads()
    yield native.set_num_threads
    native.set_num_threads(before)


def all_results(native, random) -> list[np.ndarray]:
    x = random.normal(size=(400, 1000)).astype(np.float32)
    images = random.normal(size=(16, 8, 20, 21)).astype(np.float32)
    kernels = random.normal(size=(12, 8, 3, 3)).astype(np.float32)
    common = ((1, 1), (1, 1), (1, 1), 1)
    grad = native.convolution(images, kernels, None, *common)
    rows = random.integers(0, 50, 400)
    return [
        native.add(x, x[0]),
        native.exp(x),
        native.sum(x),
        native.sum(x, 0),
        native.mean(x, 1),
        native.softmax(x, -1),
        grad,
        native.convolution_backward_input(grad, kernels, images.shape, *common),
        native.convolution_backward_weight(grad, images, kernels.shape, *common),
        *native.batch_norm_statistics(images, 1e-5),
        *native.layer_norm(x, 1),
        native.embedding_backward(x, rows, 50),
        *native.max_pool2d(images, (2, 2), (2, 2)),
    ]


def test_results_are_equal_to_the_bit_for_any_number_of_threads(native, thread_count):
    results = []
    for count in (1, 2, 3, 7):
        thread_count(count)
        results.append(all_results(native, np.random.default_rng(3)))
    for others in results[1:]:
        for one, other in zip(results[0], others, strict=True):
            assert np.array_equal(one, other)


def test_the_number_of_threads_is_set_and_refused(thread_count):
    thread_count(3)
    assert _kernels.get_num_threads() == 3
    for wrong in (0, -1):
        with pytest.raises(RuntimeError, match="set_num_threads"):
            thread_count(wrong)
    assert _kernels.get_num_threads() == 3


def test_several_python_threads_compute_at_once(native, thread_count):
    thread_count(2)
    x = np.random.default_rng(0).normal(size=500_000)
    expected, failures = native.exp(x), []

    def work() -> None:
        for _ in range(20):
            if not np.array_equal(native.exp(x), expected):
                failures.append("differs")

    workers = [threading.Thread(target=work) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failures


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_computes_with_threads_too(native, thread_count):
    thread_count(2)
    x = np.ones(500_000)
    expected = native.exp(x)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(native.exp(x), expected) else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
