"""Decompositions, inverses, solutions and recurrent layers on the device "meta" have the shapes, dtypes and strides of
those with values."""

from __future__ import annotations

from typing import Any

import pytest

import wengert as wg
from wengert import linalg

FUNCTIONS = {
    "inv": linalg.inv,
    "inv_ex": linalg.inv_ex,
    "cholesky": linalg.cholesky,
    "det": linalg.det,
    "slogdet": linalg.slogdet,
    "eigh": linalg.eigh,
    "qr": linalg.qr,
    "qr_complete": lambda x: linalg.qr(x, "complete"),
    "svd": lambda x: linalg.svd(x)[:2],  # the right vectors lie in rows, as torch has them on this device alone
    "svd_reduced": lambda x: linalg.svd(x, full_matrices=False)[:2],
    "svdvals": linalg.svdvals,
    "matrix_exp": linalg.matrix_exp,
    "pinv": linalg.pinv,
    "solve": lambda x: linalg.solve(x, x.new_ones(x.shape[-1], 3)),
    "solve_right": lambda x: linalg.solve(x, x.new_ones(4, x.shape[-1]), left=False),
    "solve_vector": lambda x: linalg.solve(x, x.new_ones(x.shape[-1])),
}
SQUARE = {"inv", "inv_ex", "cholesky", "det", "slogdet", "eigh", "matrix_exp", "solve", "solve_right", "solve_vector"}


def told(made: Any) -> list[Any]:
    results = made if isinstance(made, tuple) else (made,)
    return [
        (each.shape, each.dtype, each.stride(), each.grad_fn and each.grad_fn.name())
        for result in results
        for each in (result if isinstance(result, tuple) else (result,))
    ]


@pytest.mark.parametrize("dtype", [wg.float32, wg.complex128])
@pytest.mark.parametrize("shape", [(3, 3), (2, 3, 3), (4, 2), (2, 2, 4)])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_matrices_give_what_those_with_values_give(name, shape, dtype):
    if name in SQUARE and shape[-1] != shape[-2]:
        with pytest.raises(RuntimeError, match="must be batches of square matrices"):
            FUNCTIONS[name](wg.empty(shape, dtype=dtype, device="meta"))
        return
    x = wg.eye(*shape[-2:], dtype=dtype).expand(shape).clone().requires_grad_()
    found = told(FUNCTIONS[name](wg.empty(shape, dtype=dtype, device="meta", requires_grad=True)))
    assert found == told(FUNCTIONS[name](x))


def test_right_singular_vectors_have_their_shape():
    x = wg.empty(2, 4, 3, device="meta")
    assert linalg.svd(x).Vh.shape == (2, 3, 3)
    assert linalg.svd(x.mT, full_matrices=False).Vh.shape == (2, 3, 4)


def test_a_system_of_other_lengths_is_refused():
    with pytest.raises(RuntimeError, match="Incompatible shapes of A and B for the equation AX = B"):
        linalg.solve(wg.empty(3, 3, device="meta"), wg.empty(2, 3, device="meta"))


@pytest.mark.parametrize("options", [{}, {"num_layers": 2, "bidirectional": True, "batch_first": True}])
@pytest.mark.parametrize("kind", [wg.nn.RNN, wg.nn.GRU, wg.nn.LSTM])
def test_recurrent_layers_give_what_those_with_values_give(kind, options):
    made, wanted = (kind(2, 3, device=device, **options)(wg.ones(4, 5, 2, device=device)) for device in ("meta", "cpu"))
    flat = lambda made: [made[0], *(made[1] if isinstance(made[1], tuple) else made[1:])]  # noqa: E731
    assert [each.shape for each in flat(made)] == [each.shape for each in flat(wanted)]
    assert all(each.is_meta for each in flat(made))


@pytest.mark.parametrize("kind", [wg.nn.RNNCell, wg.nn.GRUCell, wg.nn.LSTMCell])
def test_cells_begin_with_zeros_on_the_device_of_their_input(kind):
    made = kind(2, 3, device="meta")(wg.ones(4, 2, device="meta"))
    assert all(each.is_meta and each.shape == (4, 3) for each in (made if isinstance(made, tuple) else (made,)))
