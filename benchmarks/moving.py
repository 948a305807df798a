"""Operators that move, order and multiply large arrays, forward and forward with backward: torch beside wengert."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from benchmarks.cases import BOTH, draw
from benchmarks.catalogue import different
from benchmarks.timing import Case, flatten


@dataclass(frozen=True)
class Move:
    """An operator and what it is given.

    Attributes:
        call: `call(library, functional, *tensors)`.
        values: `values(side)` gives the arrays; those of floating point get gradients.
        backward: whether it has a derivative.
        flops: `flops(side)` gives the operations of a matrix product of float32.
    """

    call: Callable[..., Any]
    values: Callable[[int], list[np.ndarray]]
    backward: bool = True
    flops: Callable[[int], float] = field(default=lambda side: 0.0)


def matrix(side: int) -> list[np.ndarray]:
    """One square matrix."""
    return [draw(side, side, seed=1)]


def unequal(side: int) -> list[np.ndarray]:
    """One square matrix, no two elements equal."""
    return [different(side, side)]


def matrices(side: int) -> list[np.ndarray]:
    """Two square matrices."""
    return [draw(side, side, seed=1), draw(side, side, seed=2)]


def vector(side: int) -> list[np.ndarray]:
    """As many elements in one dimension."""
    return [draw(side * side, seed=1)]


def whole(low: int, high: int, *shape: int) -> np.ndarray:
    """int64 numbers."""
    return np.random.default_rng(3).integers(low, high, shape)


def mask(side: int) -> np.ndarray:
    """About half of it true."""
    return draw(side, side, seed=4) > 0


def picks(side: int) -> list[np.ndarray]:
    """A matrix, and a place along one dimension for each element."""
    return [*matrix(side), whole(0, side, side, side)]


def pokes(side: int) -> list[np.ndarray]:
    """Two matrices, and places for the elements of the second."""
    return [*matrices(side), whole(0, side, side, side)]


def places(side: int) -> list[np.ndarray]:
    """Two matrices, and another place in its row for each element of the second."""
    return [*matrices(side), np.argsort(draw(side, side, seed=3), 1)]


def rows(side: int) -> list[np.ndarray]:
    """A matrix and numbers of rows."""
    return [*matrix(side), whole(0, side, side)]


def masked(side: int) -> list[np.ndarray]:
    """A matrix and a mask."""
    return [*matrix(side), mask(side)]


def edges(side: int) -> list[np.ndarray]:
    """Sorted edges and values between them."""
    return [np.sort(draw(side, seed=1)), draw(side, side, seed=2)]


def table(side: int) -> list[np.ndarray]:
    """A table of rows of 64, and which of them."""
    return [draw(side, 64, seed=1), whole(0, side, side * side // 64)]


def heads(side: int) -> list[np.ndarray]:
    """Four dimensions, as in attention."""
    return [draw(8, max(side // 8, 1), max(side // 32, 1), 32, seed=1)]


def vectors(side: int) -> list[np.ndarray]:
    """Two vectors."""
    return [draw(side, seed=1), draw(side, seed=2)]


def repeated(side: int) -> list[np.ndarray]:
    """Integers of which many are equal."""
    return [whole(0, side, side * side)]


def written(x: Any, *write: Any) -> Any:
    """A copy of `x` after `copy[place] = value`."""
    place, value = write
    copy = x.clone()
    copy[place] = value
    return copy


MOVES = {
    "gather(0)": Move(lambda wg, nn, x, i: x.gather(0, i), picks),
    "gather(1)": Move(lambda wg, nn, x, i: x.gather(1, i), picks),
    "take_along_dim": Move(lambda wg, nn, x, i: x.take_along_dim(i, 1), picks),
    "take": Move(lambda wg, nn, x, i: x.take(i), picks),
    "scatter(1)": Move(lambda wg, nn, x, y, i: x.scatter(1, i, y), places),
    "scatter_add(0)": Move(lambda wg, nn, x, y, i: x.scatter_add(0, i, y), pokes),
    "scatter_add(1)": Move(lambda wg, nn, x, y, i: x.scatter_add(1, i, y), pokes),
    "scatter_reduce amax": Move(lambda wg, nn, x, y, i: x.scatter_reduce(1, i, y, "amax"), pokes),
    "x[rows]": Move(lambda wg, nn, x, i: x[i], rows),
    "x[:, columns]": Move(lambda wg, nn, x, i: x[:, i], rows),
    "x[rows, columns]": Move(lambda wg, nn, x, i: x[i, i.flip(0)], picks),
    "x[::2, ::2]": Move(lambda wg, nn, x: x[::2, ::2] * 1.0, matrix),
    "x[mask]": Move(lambda wg, nn, x, m: x[m], masked),
    "x[mask] = 0": Move(lambda wg, nn, x, m: written(x, m, 0.0), masked),
    "x[mask] = values": Move(lambda wg, nn, x, m: written(x, m, x[m]), masked),
    "x[rows] = values": Move(lambda wg, nn, x, i: written(x, wg.arange(x.shape[0]).flip(0), x), rows),
    "masked_select": Move(lambda wg, nn, x, m: x.masked_select(m), masked),
    "masked_fill": Move(lambda wg, nn, x, m: x.masked_fill(m, 0.0), masked),
    "masked_scatter": Move(lambda wg, nn, x, m: x.masked_scatter(m, x), masked),
    "where": Move(lambda wg, nn, x, m: wg.where(m, x, -x), masked),
    "where of number": Move(lambda wg, nn, x, m: wg.where(m, x, 0.0), masked),
    "nonzero": Move(lambda wg, nn, x, m: m.nonzero(), masked, backward=False),
    "index_select(0)": Move(lambda wg, nn, x, i: x.index_select(0, i), rows),
    "index_select(1)": Move(lambda wg, nn, x, i: x.index_select(1, i), rows),
    "index_add(0)": Move(lambda wg, nn, x, i: x.index_add(0, i, x), rows),
    "index_add(1)": Move(lambda wg, nn, x, i: x.index_add(1, i, x), rows),
    "index_copy(0)": Move(lambda wg, nn, x, i: x.index_copy(0, wg.arange(i.shape[0]).flip(0), x), rows),
    "index_fill(1)": Move(lambda wg, nn, x, i: x.index_fill(1, i, 0.5), rows),
    "index_put accumulate": Move(lambda wg, nn, x, i: x.index_put((i,), x, accumulate=True), rows),
    "embedding": Move(lambda wg, nn, x, i: nn.embedding(i, x), table),
    "one_hot": Move(lambda wg, nn, i: nn.one_hot(i, 64), lambda n: [whole(0, 64, n * n // 64)], backward=False),
    "cat(0)": Move(lambda wg, nn, x, y: wg.cat([x, y]), matrices),
    "cat(1)": Move(lambda wg, nn, x, y: wg.cat([x, y], 1), matrices),
    "stack(0)": Move(lambda wg, nn, x, y: wg.stack([x, y]), matrices),
    "stack(-1)": Move(lambda wg, nn, x, y: wg.stack([x, y], -1), matrices),
    "split": Move(lambda wg, nn, x: [part * 2 for part in x.split(max(x.shape[0] // 4, 1))], matrix),
    "chunk(1)": Move(lambda wg, nn, x: [part * 2 for part in x.chunk(4, 1)], matrix),
    "unbind": Move(lambda wg, nn, x: [row.sum() for row in x.unbind(1)][:1], lambda n: [draw(n * n // 4, 4, seed=1)]),
    "t, contiguous": Move(lambda wg, nn, x: x.t().contiguous(), matrix),
    "permute, contiguous": Move(
        lambda wg, nn, x: x.permute(2, 0, 1).contiguous(), lambda n: [draw(n, max(n // 8, 1), 8, seed=1)]
    ),
    "permute 4-d, contiguous": Move(lambda wg, nn, x: x.permute(0, 2, 1, 3).contiguous(), heads),
    "expand, contiguous": Move(lambda wg, nn, x: x.expand(x.shape[1], -1).contiguous(), lambda n: [draw(1, n, seed=1)]),
    "expand columns, contiguous": Move(
        lambda wg, nn, x: x.expand(-1, x.shape[0]).contiguous(), lambda n: [draw(n, 1, seed=1)]
    ),
    "repeat": Move(lambda wg, nn, x: x.repeat(2, 2), lambda n: [draw(n // 2 + 1, n // 2 + 1, seed=1)]),
    "repeat_interleave": Move(lambda wg, nn, x: x.repeat_interleave(4, 0), lambda n: [draw(n // 4 + 1, n, seed=1)]),
    "flip(0)": Move(lambda wg, nn, x: x.flip(0), matrix),
    "flip(1)": Move(lambda wg, nn, x: x.flip(1), matrix),
    "flip(0, 1)": Move(lambda wg, nn, x: x.flip(0, 1), matrix),
    "roll(1)": Move(lambda wg, nn, x: x.roll(3, 1), matrix),
    "roll of both": Move(lambda wg, nn, x: x.roll((3, 5), (0, 1)), matrix),
    "tril": Move(lambda wg, nn, x: x.tril(), matrix),
    "triu(1)": Move(lambda wg, nn, x: x.triu(1), matrix),
    "pad": Move(lambda wg, nn, x: nn.pad(x, (2, 2, 2, 2)), matrix),
    "diagonal": Move(lambda wg, nn, x: x.diagonal() * 2, matrix),
    "sort rows": Move(lambda wg, nn, x: x.sort(1)[0], unequal),
    "sort columns": Move(lambda wg, nn, x: x.sort(0)[0], unequal),
    "sort of a vector": Move(lambda wg, nn, x: x.sort()[0], lambda n: [different(n * n)]),
    "sort of integers": Move(lambda wg, nn, x: x.sort()[0], repeated, backward=False),
    "argsort rows": Move(lambda wg, nn, x: x.argsort(dim=1, stable=True), matrix, backward=False),
    "argsort of a vector": Move(lambda wg, nn, x: x.argsort(stable=True), vector, backward=False),
    "topk(8) of rows": Move(lambda wg, nn, x: x.topk(8 if x.shape[1] > 8 else 1, 1)[0], matrix),
    "topk(100) of a vector": Move(lambda wg, nn, x: x.topk(min(100, x.shape[0]))[0], vector),
    "kthvalue of rows": Move(lambda wg, nn, x: x.kthvalue(x.shape[1] // 3 + 1, 1)[0], matrix),
    "median of rows": Move(lambda wg, nn, x: x.median(1)[0], matrix),
    "median": Move(lambda wg, nn, x: x.median(), vector),
    "unique": Move(lambda wg, nn, x: x.unique(), repeated, backward=False),
    "unique with counts": Move(
        lambda wg, nn, x: x.unique(return_inverse=True, return_counts=True), repeated, backward=False
    ),
    "searchsorted": Move(lambda wg, nn, x, y: wg.searchsorted(x, y), edges, backward=False),
    "bucketize": Move(lambda wg, nn, x, y: wg.bucketize(y, x), edges, backward=False),
    "bincount": Move(lambda wg, nn, x: x.bincount(), repeated, backward=False),
    "cummax": Move(lambda wg, nn, x: x.cummax(1)[0], matrix),
}
"""By name; each gets a square of a side, or as many elements."""


def batch(side: int) -> list[np.ndarray]:
    """Two batches of small matrices, about `side` squared elements each."""
    small = min(side, 32)
    count = max(side * side // small**2, 1)
    return [draw(count, small, small, seed=1), draw(count, small, small, seed=2)]


def complex_matrices(side: int) -> list[np.ndarray]:
    """Two square matrices of complex64."""
    one, other = (draw(side, side, seed=at) + 1j * draw(side, side, seed=at + 5) for at in (1, 2))
    return [one.astype(np.complex64), other.astype(np.complex64)]


def with_vector(side: int) -> list[np.ndarray]:
    """A matrix and a vector."""
    return [draw(side, side, seed=1), draw(side, seed=2)]


def cubed(side: int) -> float:
    """The operations of a product of two square matrices."""
    return 2.0 * side**3


def of_batch(side: int) -> float:
    """The operations of a product of two batches of small matrices."""
    count, small, _ = batch(side)[0].shape
    return count * cubed(small)


def with_bias(side: int) -> list[np.ndarray]:
    """Two matrices and a vector."""
    return [*matrices(side), draw(side, seed=3)]


PRODUCTS = {
    "x @ y": Move(lambda wg, nn, x, y: x @ y, matrices, flops=cubed),
    "x @ y of float64": Move(
        lambda wg, nn, x, y: x @ y, lambda n: [matrix.astype(np.float64) for matrix in matrices(n)]
    ),
    "x.t() @ y": Move(lambda wg, nn, x, y: x.t() @ y, matrices, flops=cubed),
    "x @ y.t()": Move(lambda wg, nn, x, y: x @ y.t(), matrices, flops=cubed),
    "x @ y, complex": Move(lambda wg, nn, x, y: x @ y, complex_matrices),
    "bmm": Move(lambda wg, nn, x, y: x.bmm(y), batch, flops=of_batch),
    "bmm, transposed": Move(lambda wg, nn, x, y: x.bmm(y.transpose(1, 2)), batch, flops=of_batch),
    "batch @ matrix": Move(lambda wg, nn, x, y: x @ y[0], batch, flops=of_batch),
    "x @ vector": Move(lambda wg, nn, x, y: x @ y, with_vector),
    "x.t() @ vector": Move(lambda wg, nn, x, y: x.t() @ y, with_vector),
    "vector @ x": Move(lambda wg, nn, x, y: y @ x, with_vector),
    "outer": Move(lambda wg, nn, x, y: x.outer(y), vectors),
    "dot": Move(lambda wg, nn, x, y: x.dot(y), lambda n: [draw(n * n, seed=1), draw(n * n, seed=2)]),
    "addmm": Move(lambda wg, nn, x, y, b: wg.addmm(b, x, y), with_bias, flops=cubed),
    "linear": Move(lambda wg, nn, x, y, b: nn.linear(x, y, b), with_bias, flops=cubed),
    "einsum ij,jk->ik": Move(lambda wg, nn, x, y: wg.einsum("ij,jk->ik", x, y), matrices, flops=cubed),
    "einsum ij,kj->ik": Move(lambda wg, nn, x, y: wg.einsum("ij,kj->ik", x, y), matrices, flops=cubed),
    "einsum bij,bjk->bik": Move(lambda wg, nn, x, y: wg.einsum("bij,bjk->bik", x, y), batch, flops=of_batch),
    "einsum ij,ij->i": Move(lambda wg, nn, x, y: wg.einsum("ij,ij->i", x, y), matrices),
    "einsum i,j->ij": Move(lambda wg, nn, x, y: wg.einsum("i,j->ij", x, y), vectors),
}
"""By name; each gets squares of a side."""

SIDES = {"10": 3, "1e4": 100, "1e6": 1000}
LARGEST = {"1e7": 3163}
PRODUCT_SIDES = (64, 256, 1024)


def cases(largest: bool = False) -> list[Case]:
    """A case for every operator, size and direction."""
    labels = [*SIDES, *(LARGEST if largest else {})]
    return [case for label in labels for case in of_moves(label)] + of_products()


def of_moves(label: str) -> list[Case]:
    """What moves and orders, at one size."""
    side = (SIDES | LARGEST)[label]
    return [direction for name, move in MOVES.items() for direction in case(f"{name} | {label}", move, side)]


def of_products() -> list[Case]:
    """Products of all sizes."""
    return [
        direction
        for side in PRODUCT_SIDES
        for name, move in PRODUCTS.items()
        for direction in case(f"{name} | {side} x {side}", move, side)
    ]


def case(name: str, move: Move, side: int) -> list[Case]:
    """Forward, and forward with backward if there is one, whose two products take twice as long again."""
    directions = (False, True) if move.backward else (False,)
    return [
        Case(
            f"{name} | {'forward + backward' if backward else 'forward'}",
            maker(move, side, backward),
            tolerance=1e-3,
            only=BOTH,
            flops=move.flops(side) * (3 if backward else 1),
        )
        for backward in directions
    ]


def maker(move: Move, side: int, backward: bool) -> Callable[[Any], Any]:
    """The `make` of a case."""

    def make(adapter: Any) -> Callable[[], Any]:
        values = move.values(side)
        if not backward:
            arrays = [adapter.array(value) for value in values]
            return lambda: move.call(adapter.library, adapter.functional, *arrays)
        tensors = [adapter.leaf(value) if value.dtype.kind in "fc" else adapter.array(value) for value in values]
        leaves = [tensor for tensor in tensors if tensor.requires_grad]
        results = flatten(move.call(adapter.library, adapter.functional, *tensors))
        seeds = [adapter.array(seed_like(adapter.numpy(result))) for result in results]

        def run() -> Any:
            for leaf in leaves:
                leaf.grad = None
            results = flatten(move.call(adapter.library, adapter.functional, *tensors))
            adapter.library.autograd.backward(results, seeds)
            return [leaf.grad for leaf in leaves]

        return run

    return make


def seed_like(result: np.ndarray) -> np.ndarray:
    """A gradient for a result."""
    return np.asarray(draw(*result.shape, seed=9)).astype(result.dtype)
