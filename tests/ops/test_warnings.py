"""Warnings that torch gives once in a process, and those of forms that others have replaced."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import wengert as wg

MATRIX = wg.eye(2)


def leaf():
    return wg.tensor(1.5, requires_grad=True)


NUMBERS = wg.arange(3)
ARRAY, LOCKED = np.ones(2), np.ones(2)
LOCKED.flags.writeable = False
ONCE = {
    "T of three dimensions": (lambda: wg.ones(2, 3, 4).T, "The use of `x.T` on tensors of dimension other than 2"),
    "T of a vector": (lambda: wg.ones(2).T, "The use of `x.T` on tensors of dimension other than 2"),
    "T of a number": (lambda: wg.tensor(1.0).T, "Tensor.T is deprecated on 0-D tensors. This function is the identity"),
    "mT of a number": (lambda: wg.tensor(1.0).mT, "Tensor.mT is deprecated on 0-D tensors. This function is the"),
    "H of a number": (lambda: wg.tensor(1.0).H, r"Tensor.H is deprecated on 0-D tensors. Consider using x.conj\(\)"),
    "meshgrid": (lambda: wg.meshgrid(NUMBERS, NUMBERS), "it will be required to pass the indexing argument"),
    "where": (
        lambda: wg.where(wg.ones(3, dtype=wg.uint8), NUMBERS, NUMBERS),
        "where received a uint8 condition tensor",
    ),
    "complex to real": (lambda: wg.ones(2, dtype=wg.complex64).float(), "discards the imaginary part"),
    "cross": (lambda: wg.cross(wg.ones(3, 3), wg.ones(3, 3)), "without specifying the dim arg"),
    "uneven padding": (
        lambda: wg.nn.functional.conv1d(wg.ones(1, 1, 4), wg.ones(1, 1, 2), padding="same"),
        "Using padding='same' with even kernel lengths",
    ),
    "default type": (lambda: wg.set_default_tensor_type(wg.FloatTensor), "deprecated as of PyTorch 2.1"),
    "float": (lambda: float(leaf() * 2), "Converting a tensor with requires_grad=True to a scalar may lead"),
    "complex": (lambda: complex(leaf()), "Converting a tensor with requires_grad=True to a scalar may lead"),
    "square root": (lambda: math.sqrt(leaf()), "Converting a tensor with requires_grad=True to a scalar may lead"),
    "numbers of a new tensor": (
        lambda: wg.tensor([leaf(), leaf()]),
        "Converting a tensor with requires_grad=True to a",
    ),
    "numbers of arrays": (lambda: wg.tensor([ARRAY, ARRAY]), "Creating a tensor from a list of numpy.ndarrays is ext"),
    "array that cannot be written": (lambda: wg.from_numpy(LOCKED), "The given NumPy array is not writable"),
    "buffer that cannot be written": (
        lambda: wg.frombuffer(b"abcd", dtype=wg.uint8),
        "The given buffer is not writable",
    ),
    "backward pass that is recorded": (
        lambda: leaf().backward(create_graph=True),
        "Using backward.. with create_graph",
    ),
    "storage": (lambda: wg.ones(2).storage(), "TypedStorage is deprecated"),
    "stft": (lambda: wg.stft(wg.ones(8), 4, return_complex=True), "A window was not provided"),
    "istft": (lambda: wg.istft(wg.ones(3, 5) + 0j, 4), "Please provide the same window used by stft"),
    "edges": (
        lambda: wg.searchsorted(wg.arange(8)[::2], NUMBERS),
        r"torch.searchsorted\(\): boundary tensor is non-contiguous",
    ),
    "values among edges": (
        lambda: wg.bucketize(wg.arange(8)[::2], NUMBERS),
        r"torch.searchsorted\(\): input value tensor is non-contiguous",
    ),
    "order of edges": (
        lambda: wg.searchsorted(NUMBERS, NUMBERS[:1], sorter=wg.tensor([0, 9, 1, 9, 2, 9])[::2]),
        r"torch.searchsorted\(\): sorter tensor is non-contiguous",
    ),
    "lu_solve": (lambda: wg.lu_solve(MATRIX, *wg.linalg.lu_factor(MATRIX)), "torch.lu_solve is deprecated in favor"),
    "qr": (lambda: wg.qr(MATRIX), "torch.qr is deprecated in favor of torch.linalg.qr"),
    "cholesky": (lambda: wg.cholesky(MATRIX), "torch.cholesky is deprecated in favor of torch.linalg.cholesky"),
    "triangular_solve": (lambda: wg.triangular_solve(MATRIX, MATRIX), "torch.triangular_solve is deprecated in favor"),
    "chain_matmul": (lambda: wg.chain_matmul(MATRIX, MATRIX), "torch.chain_matmul is deprecated and will be removed"),
}


def given(call):
    """The warnings of a call, and whether all point to this file."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        call()
    assert all(each.filename == __file__ for each in found)
    return [str(each.message) for each in found]


@pytest.mark.parametrize("name", ONCE)
def test_a_process_is_told_once(name):
    call, text = ONCE[name]
    with pytest.warns(UserWarning, match=text):
        call()
    assert given(call) == []


def test_a_program_may_ask_to_be_told_each_time():
    wg.set_warn_always(True)
    try:
        assert len(given(lambda: wg.ones(2).T)) == len(given(lambda: wg.ones(2).T)) == 1
        assert wg.is_warn_always_enabled()
    finally:
        wg.set_warn_always(False)


def test_matrices_and_grids_that_say_their_indexing_are_silent():
    def calls():
        wg.ones(2, 3).T, wg.ones(2, 2).H, wg.ones(3, 2, 2).mT
        wg.meshgrid(NUMBERS, NUMBERS, indexing="ij"), wg.cartesian_prod(NUMBERS, NUMBERS)
        wg.where(NUMBERS > 1, NUMBERS, NUMBERS)

    assert given(calls) == []


@pytest.mark.parametrize("name", ["autocast", "GradScaler", "custom_fwd", "custom_bwd"])
def test_the_names_of_mixed_precision_below_cuda_are_old_ones(name):
    with pytest.warns(FutureWarning, match=rf"`torch.cuda.amp.{name}\(args...\)` is deprecated"):
        getattr(wg.cuda.amp, name)(**({"enabled": False} if name in ("autocast", "GradScaler") else {}))


OFTEN = {
    "broadcast targets": (
        lambda: wg.nn.functional.mse_loss(wg.ones(2, 1), wg.ones(2)),
        "Using a target size",
    ),
    "copies": (lambda: wg.tensor(MATRIX), "To copy construct from a tensor"),
    "range": (lambda: wg.range(0, 3), "torch.range is deprecated"),
    "too few": (lambda: wg.std(wg.ones(1)), "degrees of freedom is <= 0"),
    "other shape": (lambda: wg.sum(wg.ones(2), 0, out=wg.ones(3)), "An output with one or more elements was resized"),
    "kl_div": (lambda: wg.nn.functional.kl_div(MATRIX, MATRIX), "reduction: 'mean' divides the total loss"),
    "upsample": (lambda: wg.nn.functional.upsample(wg.ones(1, 1, 2), 4), "is deprecated. Use `nn.functional.interp"),
    "softmax": (lambda: wg.nn.functional.softmax(MATRIX), "Implicit dimension choice for softmax"),
}


@pytest.mark.parametrize("name", OFTEN)
def test_what_is_told_each_time_points_to_the_line_of_the_program(name):
    call, text = OFTEN[name]
    for _ in range(2):
        [found] = given(call)  # which looks where it points to
        assert text in found
