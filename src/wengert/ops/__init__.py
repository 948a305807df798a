"""Operator cards, one file per family. Imported one by one: the registry is filled by these imports."""

from .._core.cards.card import checked as checked
from .create import create, interchange, like, ranges
from .images import conv, conv_forms, pad, patches, pool, pool_adaptive, pool_forms, resize
from .indexing import advanced, embedding, index, index_write, put, scatter, scatter_reduce
from .linalg import addmm, matmul, products
from .memory import convert, storages
from .neural import batch_norm, dropout, group_norm, loss, loss_binary, loss_pairs, norm, softmax
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
    power,
    rounding,
    smooth,
    trigonometry,
    unary,
)
from .randomness import generator, random, random_fill, random_like, sampling
from .reductions import maxima, moments, reduce, scan, vector_norm
from .shapes import (
    as_strided,
    broadcast,
    geometry,
    join,
    rearrange,
    sections,
    shape,
    slices,
    strided,
    view_shape,
    views,
)
