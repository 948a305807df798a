"""Native losses, additions at indices, dropout and optimiser steps against their NumPy twins."""

from __future__ import annotations

import numpy as np
import pytest

FLOATS = [np.float32, np.float64]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("rows", [1, 7, 500])
def test_nll_loss_and_its_gradient_agree_with_the_twin(rows, reduction, dtype, only_native, twin, close, random):
    logp = np.log(random.random((rows, 10))).astype(dtype)
    target = random.integers(0, 10, rows)
    target[::3] = 4
    for weight in (None, random.random(10).astype(dtype)):
        for ignore_index in (-100, 4):
            loss, total = twin("nll_loss")(logp, target, weight, reduction, ignore_index)
            close(only_native.nll_loss(logp, target, weight, reduction, ignore_index), (loss, total))
            grad = np.asarray(random.normal(size=loss.shape)).astype(dtype)
            arguments = (grad, logp, target, weight, reduction, ignore_index, total)
            close(only_native.nll_loss_backward(*arguments), twin("nll_loss_backward")(*arguments))


def test_other_losses_come_from_the_twin_and_wrong_classes_are_refused(native, twin, close, random):
    logp = random.normal(size=(2, 4, 3)).astype(np.float32)
    target = random.integers(0, 4, (2, 3))
    close(native.nll_loss(logp, target), twin("nll_loss")(logp, target))
    close(
        native.nll_loss(logp[0, :, 0].copy(), target[0, 0].reshape(())),
        twin("nll_loss")(logp[0, :, 0], target[0, 0].reshape(())),
    )
    for wrong in (4, -1):
        with pytest.raises(IndexError, match=r"Target .* is out of bounds"):
            native.nll_loss(logp[:, :, 0].copy(), np.array([0, wrong]))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("rows", "count", "width"), [(5, 20, 3), (300, 300, 300), (40, 5000, 64), (3, 0, 2), (6, 9, 1)]
)
def test_additions_at_indices_agree_with_the_twin(rows, count, width, dtype, only_native, twin, close, random):
    x, source = (random.normal(size=(n, width)).astype(dtype) for n in (rows, count))
    index = random.integers(0, rows, count)
    close(only_native.embedding_backward(source, index, rows), twin("embedding_backward")(source, index, rows))
    close(only_native.embedding_backward(source, index, rows, 2), twin("embedding_backward")(source, index, rows, 2))
    close(only_native.index_add(x, 0, index, source, -0.5), twin("index_add")(x, 0, index, source, -0.5))
    close(only_native.index_put_add(x, (index,), source), twin("index_put_add")(x, (index,), source))
    places = random.integers(0, rows, (count, width))
    before = x.copy()
    close(only_native.scatter_add(x, 0, places, source), twin("scatter_add")(x, 0, places, source))
    close(
        only_native.scatter_add(x.T.copy(), 1, places.T.copy(), source.T.copy()),
        twin("scatter_add")(x.T, 1, places.T, source.T),
    )
    assert np.array_equal(x, before)


def test_an_index_outside_is_refused(native):
    x = np.ones((3, 2), np.float32)
    for wrong in (3, 99):
        index = np.array([0, wrong])
        for call in (
            lambda index=index: native.index_add(x, 0, index, x[:2].copy()),
            lambda index=index: native.embedding_backward(x[:2].copy(), index, 3),
            lambda index=index: native.index_put_add(x, (index,), x[:2].copy()),
            lambda index=index: native.scatter_add(x, 0, np.stack([index, index]), x[:2].copy()),
        ):
            with pytest.raises(IndexError):
                call()


def test_other_additions_come_from_the_twin(native, twin, close, random):
    x, source = random.normal(size=(3, 4)), random.normal(size=(3, 6))
    index = random.integers(0, 4, 6)
    close(native.index_add(x, 1, index, source), twin("index_add")(x, 1, index, source))
    close(native.index_put_add(x, (slice(None), index), source), twin("index_put_add")(x, (slice(None), index), source))
    close(
        native.index_put_add(x, (np.array([-1, 0]),), x[:2].copy()),
        twin("index_put_add")(x, (np.array([-1, 0]),), x[:2]),
    )


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("p", [0.0, 0.3, 1.0, 0, 1])
def test_dropout_agrees_with_the_twin(p, dtype, only_native, twin, close, random):
    for shape in ((), (5,), (300, 301)):
        x = np.asarray(random.normal(size=shape)).astype(dtype)
        mask = np.asarray(random.random(shape) >= p)
        close(only_native.dropout_apply(x, mask, p), twin("dropout_apply")(x, mask, p))


def parameters(random: np.random.Generator, dtype) -> list[np.ndarray]:
    return [np.asarray(random.normal(size=shape)).astype(dtype) for shape in ((3,), (250, 301), (), (0,))]


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    "settings",
    [
        (0.1, 0.0, 0.0, 0.0, False, False),
        (0.1, 0.0, 0.0, 0.2, False, True),
        (0.1, 0.9, 0.0, 0.0, False, False),
        (0.1, 0.9, 0.0, 0.1, True, False),
        (0.1, 0.9, 0.5, 0.1, False, True),
        (1, 0, 0, 0, False, False),
    ],
)
def test_sgd_steps_agree_with_the_twin(settings, dtype, only_native, twin, close, random):
    ours = parameters(random, dtype)
    theirs = [param.copy() for param in ours]
    our_buffers = their_buffers = [None] * len(ours)
    for _ in range(3):
        grads = parameters(random, dtype)
        our_buffers = only_native.sgd_step(ours, grads, our_buffers, *settings)
        their_buffers = twin("sgd_step")(theirs, grads, their_buffers, *settings)
        close(ours, theirs)
        close(our_buffers, their_buffers)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize(
    ("weight_decay", "amsgrad", "maximize"), [(0.0, False, False), (0.1, True, False), (0.1, False, True)]
)
def test_adam_steps_agree_with_the_twin(weight_decay, amsgrad, maximize, dtype, only_native, twin, close, random):
    ours = parameters(random, dtype)
    state = [[np.zeros_like(param) for param in ours] for _ in range(3)]
    theirs, their_state = ([array.copy() for array in ours], [[array.copy() for array in part] for part in state])
    for step in range(1, 4):
        grads = parameters(random, dtype)
        rest = ([step] * len(ours), 0.01, 0.9, 0.999, 1e-8, weight_decay, amsgrad, maximize)
        for function, params, (mean, square, largest) in (
            (only_native.adam_step, ours, state),
            (twin("adam_step"), theirs, their_state),
        ):
            function(params, grads, mean, square, largest if amsgrad else None, *rest)
        close(ours, theirs, 5)
        for part, their_part in zip(state, their_state, strict=True):
            close(part, their_part, 5)


FORMULAS = {
    "rmsprop": (3, (0.1, 0.9, 0.1, 1e-8, 0.5)),
    "adagrad": (1, (0.1, 1e-8)),
    "adadelta": (2, (0.1, 0.9, 0.1, 1e-6)),
    "adamax": (2, (0.1, 0.1, 0.99, 1e-8)),
    "nadam": (2, (0.1, 0.99, 0.01, 1e-8, 0.3, 0.02, 0.01)),
    "radam": (2, (0.1, 0.99, 0.01, 1e-8, 0.02, 0.7)),
    "rprop": (2, (0.5, 1.2, 1e-6, 50.0)),
}


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("kind", sorted(FORMULAS))
def test_steps_by_formula_agree_with_the_twin(kind, maximize, dtype, only_native, twin, close, random):
    count, numbers = FORMULAS[kind]
    ours = parameters(random, dtype)
    state = [tuple(np.full_like(param, 0.1) for _ in range(count)) for param in ours]
    theirs = [param.copy() for param in ours]
    their_state = [tuple(array.copy() for array in part) for part in state]
    for _ in range(3):
        grads = parameters(random, dtype)
        rest = ([numbers] * len(ours), 0.99, 0.1, maximize)
        only_native.formula_step(kind, ours, grads, state, *rest)
        twin("formula_step")(kind, theirs, grads, their_state, *rest)
        close(ours, theirs, 20)
        close(state, their_state, 20)


def test_formulas_do_without_what_they_need_not_keep(only_native, twin, close, random):
    ours = parameters(random, np.float32)
    theirs, grads = [param.copy() for param in ours], parameters(random, np.float32)
    for params, step in ((ours, only_native.formula_step), (theirs, twin("formula_step"))):
        states = [(np.zeros_like(param), None, None) for param in params]
        step("rmsprop", params, grads, states, [(0.1, 0.9, 0.1, 1e-8, 0.0)] * len(params), 1.0, 0.0, False)
    close(ours, theirs, 5)


def test_weight_decay_of_zero_leaves_an_infinite_parameter_alone(only_native):
    param, grad = np.array([np.inf, 1.0], np.float32), np.array([1.0, 1.0], np.float32)
    only_native.sgd_step([param], [grad], [None], 0.5, 0.0, 0.0, 0.0, False, False)
    assert param.tolist() == [np.inf, 0.5]


def test_steps_on_other_arrays_come_from_the_twin_whole(native, twin, close, random):
    whole = random.normal(size=(4, 6)).astype(np.float32)
    params, grads = [whole[0].copy(), whole[:, ::2]], [whole[1].copy(), whole[:, 1::2].copy()]
    expected = [param.copy() for param in params]
    settings = (0.1, 0.9, 0.0, 0.0, False, False)
    buffers = native.sgd_step(params, grads, [None, None], *settings)
    close(buffers, twin("sgd_step")(expected, grads, [None, None], *settings))
    close(params, expected)
