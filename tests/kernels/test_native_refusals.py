"""Arguments that would lead a kernel outside of memory are refused, or handed to the twin, before memory is touched."""

from __future__ import annotations

import contextlib
import threading
import time

import numpy as np
import pytest

from wengert import _kernels

IMAGE = np.ones((1, 1, 4, 4), np.float32)
TAPS = np.ones((1, 1, 2, 2), np.float32)
HUGE = 2**62


@pytest.mark.parametrize(
    ("stride", "padding", "dilation"),
    [
        ((1, 1), (0, 0), (-1, -1)),
        ((-1, 1), (0, 0), (1, 1)),
        ((0, 1), (0, 0), (1, 1)),
        ((1, 1), (-1, 0), (1, 1)),
        ((1, 1), (0, 0), (HUGE, 1)),
        ((1, 1), (HUGE, HUGE), (1, 1)),
        ((1, 1), (HUGE, HUGE), (HUGE, HUGE)),
        ((HUGE, HUGE), (HUGE // 2, 0), (1, 1)),
    ],
)
def test_a_convolution_refuses_options_that_lead_outside(stride, padding, dilation):
    common = (stride, padding, dilation, 1)
    with pytest.raises((ValueError, MemoryError, OverflowError, IndexError)):
        _kernels.convolution(IMAGE, TAPS, None, *common)
    with pytest.raises((ValueError, MemoryError, OverflowError, IndexError)):
        _kernels.convolution_backward_weight(IMAGE[..., :3, :3].copy(), IMAGE, (1, 1, 2, 2), *common)


@pytest.mark.parametrize(
    ("stride", "padding", "dilation"),
    [
        ((1, 1, 0), (0, 0, 0), (1, 1, 1)),
        ((1, 1, 1), (HUGE, 0, 0), (1, 1, 1)),
        ((1, 1, 1), (2**20, 2**20, 2**20), (1, 1, 1)),
        ((1, 1, 1), (2**31, 2**31, 2**31), (2**31, 2**31, 2**31)),
        ((1, 1, 1), (0, 0, 0), (HUGE, 1, 1)),
    ],
)
def test_a_convolution_of_volumes_refuses_options_that_lead_outside(stride, padding, dilation):
    volume, kernel = np.ones((1, 1, 2, 4, 4), np.float32), np.ones((1, 1, 2, 2, 2), np.float32)
    common = (stride, padding, dilation, 1)
    with pytest.raises((ValueError, MemoryError, OverflowError, IndexError)):
        _kernels.convolution(volume, kernel, None, *common)
    with pytest.raises((ValueError, MemoryError, OverflowError, IndexError)):
        _kernels.convolution_backward_weight(volume[:, :, :1, :3, :3].copy(), volume, kernel.shape, *common)


def test_windows_larger_than_any_image_cost_no_time(close):
    values, places = _kernels.max_pool2d(
        IMAGE * np.arange(16, dtype=np.float32).reshape(4, 4), (2**31 - 1,) * 2, (2**31 - 1,) * 2, (2**30 - 1,) * 2
    )
    assert values.tolist() == [[[[15.0]]]]
    assert places.tolist() == [[[[15]]]]


@pytest.mark.parametrize("kernel", [2**31 - 1, 2**20])
def test_the_twins_do_not_count_through_a_window_that_lies_outside(twin, close, kernel):
    x = np.random.default_rng(0).normal(size=(2, 3, 5, 4))
    options = ((kernel, kernel), (kernel, kernel), (kernel // 2, kernel // 2))
    close(_kernels.max_pool2d(x, *options), twin("max_pool2d")(x, *options))
    close(_kernels.avg_pool2d(x, *options), twin("avg_pool2d")(x, *options))
    grad = np.ones((2, 3, 1, 1))
    more = (x.shape, *options, False, True, None)
    close(_kernels.avg_pool2d_backward(grad, *more), twin("avg_pool2d_backward")(grad, *more))


@pytest.mark.parametrize("option", range(3))
def test_native_pooling_leaves_sizes_beyond_32_bits_to_the_twin(native, twin, option):
    """Signed numbers that overflow are undefined in C++."""
    options = [(3, 3), (1, 1), (1, 1)]
    options[option] = (HUGE, HUGE)
    called = []
    native.bind_twins(dict.fromkeys(native.twin_names(), lambda *args, **keywords: called.append(args)))
    try:
        native.max_pool2d(IMAGE, *options)
        native.avg_pool2d(IMAGE, *options, False, True, None)
    finally:
        native.bind_twins({name: twin(name) for name in native.twin_names()})
    assert len(called) == 2


def test_shapes_whose_product_overflows_are_refused(native):
    grad = np.ones((1, 1, 1, 1), np.float32)
    places = np.zeros((1, 1, 1, 1), np.int64)
    for shape in [(1, 1, 2**32, 2**32), (1, 1, 2**32 + 1, 2**32), (2**62, 2**62, 1, 1)]:
        with pytest.raises((ValueError, MemoryError)):
            native.max_pool2d_backward(grad, places, shape)
        with pytest.raises((ValueError, MemoryError)):
            native.avg_pool2d_backward(grad, shape, (1, 1), (1, 1), (0, 0), False, True, None)
    with pytest.raises((ValueError, MemoryError)):
        native.embedding_backward(np.zeros((0, 2**59), np.float32), np.zeros(32, np.int64), 1, -1)


CASES = {
    "scatter_add": lambda index: _kernels.scatter_add(np.zeros((1000, 4)), 0, index, np.ones(index.shape)),
    "gather": lambda index: _kernels.gather(np.zeros((1000, 4)), 0, index),
    "index_add": lambda index: _kernels.index_add(np.zeros(1000), 0, index[:, 0].copy(), np.ones(len(index))),
    "index_put_add": lambda index: _kernels.index_put_add(np.zeros(1000), index, np.ones(index.shape)),
    "embedding_backward": lambda index: _kernels.embedding_backward(np.ones((*index.shape, 3)), index, 1000),
    "max_pool2d_backward": lambda index: _kernels.max_pool2d_backward(
        np.ones((1, *index.shape)), index[None], (1, 25, 40)
    ),
    "nll_loss": lambda index: _kernels.nll_loss(
        np.zeros((index.size, 1000), np.float32)[: index.size], index.reshape(-1)
    ),
}


@pytest.mark.parametrize("name", [name for name in CASES if name != "nll_loss"])
def test_an_index_rewritten_by_another_thread_is_never_used_unchecked(name):
    """Either it is refused or it is not seen; memory outside would crash the process or be caught by the sanitizers."""
    index = np.zeros((30_000, 4), np.int64)
    stop = threading.Event()

    def rewrite() -> None:
        while not stop.is_set():
            index[:] = 2**50
            time.sleep(0.0005)
            index[:] = 3
            time.sleep(0.0005)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        for _ in range(15):
            with contextlib.suppress(IndexError):
                CASES[name](index)
    finally:
        stop.set()
        writer.join()


@pytest.mark.parametrize("name", list(CASES))
@pytest.mark.parametrize("wrong", [1000, -1001, 2**62, -(2**63)])
def test_an_index_that_lies_outside_is_an_error(name, wrong):
    index = np.full((20, 4), 999, np.int64)
    index[3, 0] = wrong
    with pytest.raises(IndexError):
        CASES[name](index)


def test_an_optimiser_step_uses_what_it_checked_when_the_lists_change_meanwhile(native):
    """The lists lose their arrays while the step runs without the interpreter's lock."""
    for _ in range(10):
        lists = [[np.ones(200_000) for _ in range(6)] for _ in range(4)]
        steps = [1.0] * 6

        def empty(lists=lists, steps=steps) -> None:
            for each in (*lists, steps):
                each.clear()

        thinner = threading.Thread(target=empty)
        params = list(lists[0])
        thinner.start()
        try:
            native.adam_step(
                lists[0], lists[1], lists[2], lists[3], None, steps, 0.1, 0.9, 0.99, 1e-8, 0.0, False, False
            )
        except (ValueError, TypeError, IndexError):  # the lists were empty, or of unequal lengths, at the start
            continue
        finally:
            thinner.join()
        changed = {bool((each != 1).any()) for each in params}
        assert len(changed) == 1


def test_twins_are_replaced_all_or_none(native, twin):
    with pytest.raises(KeyError, match="no NumPy twin for"):
        native.bind_twins({"sum": len})
    x = np.arange(6).reshape(2, 3)[:, ::2]
    assert native.sum(x).tolist() == 10
