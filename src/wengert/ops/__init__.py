"""Operator cards, one file per family. Imported one by one: the registry is filled by these imports.

Here stand the families that every program needs; `families.py` names all others, which are loaded when an operator of
theirs is first asked for.
"""

from .._core.cards.card import checked as checked
from .._core.cards.plain_case import plain_function as plain_function
from .create import create
from .families import promise_all
from .indexing import advanced, index
from .linalg import matmul, products
from .memory import convert, overwrite
from .pointwise import binary, compare, logic, power, rounding, unary
from .randomness import generator
from .reductions import reduce
from .shapes import as_strided, batches, join, shape, slices, view_shape, views

promise_all()
from .linalg import addr  # isort: skip
from .pointwise import bessel, gamma, integers, normal, pairs, polynomials, scales  # isort: skip
from .reductions import renorm  # isort: skip
from .create import create, interchange, like, ranges
from .indexing import advanced, index, index_write, put, scatter, scatter_reduce
from .linalg import addmm, matmul, products
from .create import create, further_ranges, interchange, like, ranges
from .indexing import advanced, index, index_write, positions, put, scatter, scatter_reduce
from .linalg import addmm, cross, matmul, products, statistics
from .linalg import (
    addmm,
    cholesky,
    determinants,
    distances,
    eigen,
    einsum,
    inverse,
    ldl,
    least_squares,
    lu,
    lu_forms,
    matmul,
    norms,
    pairs,
    powers,
    products,
    qr,
    reflections,
    singular,
    solve,
    vectors,
)  # isort: skip
from .memory import convert, overwrite, storages
from .neural import softmax
from .order import bincount, histogram, quantile, ranks, running, search, sort, unique
from .pointwise import (
    activation,
    apply,
    binary,
    choose,
    classify,
    compare,
    complex,
    extremes,
    logic,
    piecewise,
    postponed,
    power,
    rounding,
    smooth,
    trigonometry,
    unary,
)
from .randomness import generator, random, random_fill, random_like, sampling
from .reductions import differences, distance, maxima, moments, places, reduce, scan, vector_norm
from .shapes import (
    as_strided,
    batches,
    broadcast,
    combine,
    geometry,
    join,
    rearrange,
    rotate,
    scattered,
    sections,
    shape,
    slices,
    strided,
    unsafe_parts,
    view_copies,
    view_shape,
    views,
)

from .linalg import (  # isort: skip
    cholesky,
    cross,
    determinants,
    distances,
    eigen,
    einsum,
    inverse,
    ldl,
    least_squares,
    lu,
    lu_forms,
    norms,
    pairs,
    powers,
    qr,
    reflections,
    singular,
    solve,
    vectors,
)


def load_neural() -> None:
    """Load the families of neural networks."""
    from .images import conv, conv_forms, pad, patches, pool, pool_adaptive, pool_forms, resize
    from .indexing import embedding
    from .linalg import linear
    from .neural import batch_norm, dropout, group_norm, loss, loss_binary, loss_pairs, norm


FURTHER.append(load_neural)
