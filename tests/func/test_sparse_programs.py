"""Patterns of random programs that take views and write to them: no element of the derivative is missing."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given, strategies as st

import wengert as wg
from wengert.func import grad, hessian_sparsity, jacobian_sparsity, jacrev


def like(other, tensor):
    """The elements of one tensor in the shape of another, repeated or cut off."""
    flat = other.reshape(-1)
    return flat.repeat(tensor.numel() // flat.numel() + 1)[: tensor.numel()].reshape(tensor.shape)


VIEWS = {
    "first": lambda t, at: t.select(at % t.dim(), at % t.shape[at % t.dim()]),
    "part": lambda t, at: t.narrow(0, at % t.shape[0], t.shape[0] - at % t.shape[0]),
    "turned": lambda t, at: t.transpose(0, -1),
    "flat": lambda t, at: t.reshape(-1),
    "more dimensions": lambda t, at: t.unsqueeze(at % t.dim()),
    "every other": lambda t, at: t[..., ::2],
    "diagonal": lambda t, at: t.diagonal() if t.dim() == 2 else t,
    "expanded": lambda t, at: t.expand(2, *t.shape),
}
VALUES = {
    "product": lambda t, o: t * like(o, t),
    "sine": lambda t, o: t.sin(),
    "zeros": lambda t, o: wg.zeros(t.shape, dtype=t.dtype),
    "running sum": lambda t, o: t.cumsum(0),
    "sum": lambda t, o: t.sum(-1),
    "joined": lambda t, o: wg.cat([t, like(o, t)]),
    "by index": lambda t, o: t.index_select(0, wg.tensor([0, 0])),
    "square": lambda t, o: t @ t.t() if t.dim() == 2 else t.flip(0),
    "constant": lambda t, o: t.detach() * like(o, t),
}
WRITES = {
    "multiplied": lambda t, o: t.mul_(like(o, t).clone()),
    "added": lambda t, o: t.add_(like(o, t)),
    "copied": lambda t, o: t.copy_(like(o, t).clone()),
    "zeroed": lambda t, o: t.zero_(),
    "masked": lambda t, o: t.masked_fill_(t > 1, 0.5),
    "item": lambda t, o: t.__setitem__(0, like(o, t[0]).clone()),
    "slices": lambda t, o: t.__setitem__((..., slice(1, None, 2)), like(o, t[..., 1::2]).clone()),
    "at index": lambda t, o: t.index_add_(0, wg.tensor([0]), like(o, t[:1]).clone()),
    "turned in place": lambda t, o: t.t_() if t.dim() == 2 else t.unsqueeze_(0),
}
NAMES = [*VIEWS, *VALUES, *WRITES]
steps = st.lists(
    st.tuples(st.sampled_from(NAMES), st.integers(0, 7), st.integers(0, 7), st.integers(0, 3)), min_size=2, max_size=12
)


def program(taken):
    def run(x):
        pool = [x.clone().view(3, 4), x * 1.0]
        for name, first, second, at in taken:
            tensor, other = pool[first % len(pool)], pool[second % len(pool)]
            if not tensor.numel() or not other.numel() or not tensor.dim():
                continue
            if name in VIEWS:
                pool.append(VIEWS[name](tensor, at))
            elif name in VALUES:
                pool.append(VALUES[name](tensor, other))
            else:
                WRITES[name](tensor, other)
        return wg.cat([each.reshape(-1)[:6] for each in pool])

    return run


@given(steps, st.integers(0, 3))
def test_no_element_is_missing(taken, seed):
    f, x = program(taken), wg.tensor(np.random.default_rng(seed).uniform(0.5, 1.5, 12))
    try:
        expected = jacrev(f)(x).numpy()
    except (RuntimeError, IndexError):  # a write that is refused, an index that does not exist
        assume(False)
    assert not ((expected != 0) & ~jacobian_sparsity(f, x).toarray()).any()


@given(steps, st.integers(0, 3))
def test_no_element_of_a_hessian_is_missing(taken, seed):
    f, x = program(taken), wg.tensor(np.random.default_rng(seed).uniform(0.5, 1.5, 12))

    def number(x):
        return (f(x) ** 2).sum()

    try:
        expected = abs(jacrev(grad(number))(x).numpy())
    except (RuntimeError, IndexError):
        assume(False)
    missing = (expected > 1e-9 * expected.max()) & ~hessian_sparsity(number, x).toarray()
    assert not missing.any()
