"""Warnings that torch gives once in a process, and those of forms that others have replaced."""

from __future__ import annotations

import math
import warnings

import pytest

import wengert as wg

MATRIX = wg.eye(2)


def leaf():
    return wg.tensor(1.5, requires_grad=True)


NUMBERS = wg.arange(3)
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
