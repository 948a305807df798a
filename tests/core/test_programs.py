"""Random programs of views, writes in place and reads give the values and gradients of the same programs without any
writing.

Each program is run twice: on tensors, and on a model that holds one immutable array of numbered cells for each base.
The model knows a view by the cells that it shows; a write makes a new value for the whole base. Its gradients come from
the functional form: the value of a base after all writes is a function of the inputs, built with `where` and `index`
operations that never write."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from hypothesis import given, settings, strategies as st

import wengert as wg

SHAPE = (2, 3, 2)
SIZE = 12


@dataclass
class Shown:
    """A tensor of the program, and the cells of its base that it shows, by number."""

    tensor: object
    cells: np.ndarray
    base: int


@dataclass
class Program:
    """A program that is being run in both ways."""

    leaves: list = field(default_factory=list)
    bases: list = field(default_factory=list)  # functional values, flat
    shown: list = field(default_factory=list)
    read: list = field(default_factory=list)  # pairs: read from the tensor, and functionally

    def start(self, count):
        for number in range(count):
            values = np.linspace(0.3, 1.7, SIZE) + number
            x = wg.tensor(values, requires_grad=True)
            twin = wg.tensor(values, requires_grad=True)
            self.leaves.append((x, twin))
            self.bases.append(twin * 2)
            self.shown.append(Shown((x * 2).view(SHAPE), np.arange(SIZE).reshape(SHAPE), number))
            # The base itself is a tensor of the program as well.
            self.shown.append(Shown(self.shown[-1].tensor._base, np.arange(SIZE), number))

    def functional(self, shown):
        """The value of a tensor of the program, without any view of a written base."""
        return self.bases[shown.base][wg.tensor(shown.cells.reshape(-1))].reshape(shown.cells.shape)


def pick(draw, program):
    return program.shown[draw(st.integers(0, len(program.shown) - 1))]


KINDS = [
    "select",
    "slice",
    "transpose",
    "reshape",
    "unsqueeze",
    "alias",
    "squeeze",
    "diagonal",
    "permute",
    "strided",
    "pairs",
]


def can_be_pairs(tensor):
    """Whether `view_as_complex` takes a tensor."""
    steps = tensor.stride()
    even = all(step % 2 == 0 or length == 1 for step, length in zip(steps[:-1], tensor.shape[:-1]))
    return steps[-1] == 1 and even and tensor.storage_offset() % 2 == 0


def take_view(draw, program):
    """A view of some tensor of the program."""
    source = pick(draw, program)
    tensor, cells = source.tensor, source.cells
    kind = draw(st.sampled_from(KINDS))
    if kind == "select" and cells.ndim:
        dim = draw(st.integers(0, cells.ndim - 1))
        at = draw(st.integers(0, cells.shape[dim] - 1))
        made = tensor.select(dim, at), cells.take(at, dim)
    elif kind == "slice" and cells.ndim:
        start, step = draw(st.integers(0, cells.shape[0] - 1)), draw(st.integers(1, 2))
        made = tensor[start::step], cells[start::step]
    elif kind == "transpose" and cells.ndim > 1:
        made = tensor.transpose(0, -1), cells.swapaxes(0, -1)
    elif kind == "reshape" and tensor.is_contiguous():
        made = tensor.view(-1), cells.reshape(-1)
    elif kind == "unsqueeze":
        made = tensor.unsqueeze(0), cells[None]
    elif kind == "squeeze":
        made = tensor.squeeze(), cells.squeeze()
    elif kind == "diagonal" and cells.ndim > 1:
        offset = draw(st.integers(-1, 1))
        made = tensor.diagonal(offset, 0, -1), cells.diagonal(offset, 0, -1)
    elif kind == "permute" and cells.ndim > 1:
        order = draw(st.permutations(range(cells.ndim)))
        made = tensor.permute(*order), cells.transpose(order)
    elif kind == "strided" and cells.size > 3 and tensor.is_contiguous():
        made = tensor.as_strided((2, 2), (2, 1)), cells.reshape(-1)[:4].reshape(2, 2)
    elif kind == "pairs" and cells.ndim and cells.shape[-1] == 2 and can_be_pairs(tensor):
        part = draw(st.integers(0, 1))
        whole = wg.view_as_complex(tensor)
        made = (whole.imag if part else whole.real), cells[..., part]
    else:
        made = tensor.view(tensor.shape) if tensor.is_contiguous() else tensor.transpose(0, 0), cells
    program.shown.append(Shown(*made, source.base))


WHOLE = {
    "mul": (lambda y: y.mul_(1.5), lambda y: y * 1.5),
    "add": (lambda y: y.add_(0.25), lambda y: y + 0.25),
    "square": (lambda y: y.mul_(y.clone()), lambda y: y * y),
    "twice itself": (lambda y: y.add_(y), lambda y: y + y),
    "tanh": (lambda y: y.copy_(y.tanh()), lambda y: y.tanh()),
    "fill": (lambda y: y.fill_(0.5), lambda y: y * 0 + 0.5),
    "zero": (lambda y: y.zero_(), lambda y: y * 0),
}
"""Writes to all of a tensor, and the same without writing."""


def write_part(draw, tensor, before):
    """A write to a part of a tensor; what the whole becomes."""
    if draw(st.booleans()) and before.ndim and before.shape[0]:
        first = wg.zeros(before.shape, dtype=wg.bool)
        first[0] = True
        at = wg.tensor([0]) if draw(st.booleans()) else 0
        tensor[at] = tensor[0].clone() * 3
        return wg.where(first, before * 3, before)
    mask = tensor.detach() > 1
    tensor[mask] = 0.75
    return wg.where(mask, before * 0 + 0.75, before)


def write_value(draw, program, tensor, before):
    """A write of one element of some tensor; what the whole becomes."""
    source = pick(draw, program)
    value, twin = source.tensor.clone(), program.functional(source)
    while value.ndim > 0:
        value, twin = value.select(0, 0), twin.select(0, 0)
    if draw(st.booleans()):
        tensor.copy_(value)
        return twin.expand(before.shape)
    tensor.mul_(value)
    return before * twin


def write(draw, program):
    """A write in place to some tensor of the program."""
    target = pick(draw, program)
    before = program.functional(target)
    kind = draw(st.sampled_from([*WHOLE, "part", "value"]))
    if kind == "part":
        after = write_part(draw, target.tensor, before)
    elif kind == "value":
        after = write_value(draw, program, target.tensor, before)
    else:
        in_place, functional = WHOLE[kind]
        in_place(target.tensor)
        after = functional(before)
    cells = wg.tensor(target.cells.reshape(-1))
    program.bases[target.base] = program.bases[target.base].index_copy(0, cells, after.reshape(-1))


def read(draw, program):
    """Keep a value for the end, as it is now."""
    source = pick(draw, program)
    program.read.append((source.tensor * 3, program.functional(source) * 3))


def rearrange(draw, program):
    """A change in place of how a tensor sees its memory."""
    shown = pick(draw, program)
    kind = draw(st.sampled_from(["transpose", "unsqueeze", "squeeze", "strided"]))
    if kind == "transpose" and shown.cells.ndim > 1:
        shown.tensor.transpose_(0, -1)
        shown.cells = shown.cells.swapaxes(0, -1)
    elif kind == "unsqueeze" and shown.cells.ndim < 4:
        shown.tensor.unsqueeze_(-1)
        shown.cells = shown.cells[..., None]
    elif kind == "squeeze":
        shown.tensor.squeeze_()
        shown.cells = shown.cells.squeeze()
    elif kind == "strided" and shown.cells.size > 3 and shown.tensor.is_contiguous() and shown.tensor._is_view():
        shown.tensor.as_strided_((2,), (2,))
        shown.cells = shown.cells.reshape(-1)[:4:2]


def refused(draw, program):
    """A write that is refused leaves every tensor of the program, its version and its history as they were."""
    target = pick(draw, program).tensor
    every = [(each.tensor, each.tensor._version, each.tensor.grad_fn, each.tensor.tolist()) for each in program.shown]
    attempts = [
        lambda: target.add_(wg.zeros(7, 5, 3, 2, 2)),
        lambda: target.unsqueeze(0).expand(2, *target.shape).mul_(2),
        lambda: target.copy_(wg.zeros(5, 4, 7, 1, 1)),
        lambda: target.unsqueeze(0).unbind()[0].mul_(2),
        lambda: target.index_fill_(0, wg.tensor([99]), 1.0),
        lambda: target.__setitem__(wg.tensor([99]), 1.0),
        lambda: target.masked_fill_(wg.ones(9, 9, 9, 9, 9, dtype=wg.bool), 1.0),
        lambda: target.add_(1j),
        lambda: target.transpose_(0, 9),
    ]
    try:
        draw(st.sampled_from(attempts))()
    except (RuntimeError, IndexError):
        for tensor, version, node, listed in every:
            assert (tensor._version, tensor.grad_fn, tensor.tolist()) == (version, node, listed)
    else:
        raise AssertionError("was not refused")


@st.composite
def programs(draw):
    """A program after it was run."""
    program = Program()
    program.start(draw(st.integers(1, 2)))
    for _ in range(draw(st.integers(1, 10))):
        step = draw(st.sampled_from([take_view, take_view, take_view, write, write, write, read, rearrange, refused]))
        step(draw, program)
    return program


def check(program):
    for shown in program.shown:
        program.read.append((shown.tensor, program.functional(shown)))
    for got, wanted in program.read:
        np.testing.assert_allclose(got.detach().numpy(), wanted.detach().numpy(), rtol=1e-12)
    random = np.random.default_rng(0)
    weights = [wg.tensor(np.asarray(random.standard_normal(got.shape))) for got, _ in program.read]
    inputs, twins = zip(*program.leaves)
    found = wg.autograd.grad([got for got, _ in program.read], inputs, weights, allow_unused=True)
    wanted = wg.autograd.grad([want for _, want in program.read], twins, weights, allow_unused=True)
    for one, other in zip(found, wanted):
        zeros = np.zeros(SIZE)
        np.testing.assert_allclose(
            zeros if one is None else one.numpy(), zeros if other is None else other.numpy(), rtol=1e-9, atol=1e-9
        )


@settings(max_examples=150)
@given(programs())
def test_views_and_writes_in_place_give_what_the_functional_program_gives(program):
    check(program)


def test_a_planted_difference_is_found():
    program = Program()
    program.start(1)
    with wg.no_grad():
        program.shown[0].tensor.mul_(2)  # not told to the model
    try:
        check(program)
    except AssertionError:
        return
    raise AssertionError("the comparison let a wrong value pass")
