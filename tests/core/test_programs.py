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


def take_view(draw, program):
    """A view of some tensor of the program."""
    source = pick(draw, program)
    tensor, cells = source.tensor, source.cells
    kind = draw(st.sampled_from(["select", "slice", "transpose", "reshape", "unsqueeze", "alias"]))
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
    else:
        made = tensor.view(tensor.shape) if tensor.is_contiguous() else tensor.transpose(0, 0), cells
    program.shown.append(Shown(*made, source.base))


def write(draw, program):
    """A write in place to some tensor of the program."""
    target = pick(draw, program)
    before = program.functional(target)
    kind = draw(st.sampled_from(["mul", "add", "square", "tanh", "fill", "copy", "other"]))
    if kind == "mul":
        target.tensor.mul_(1.5)
        after = before * 1.5
    elif kind == "add":
        target.tensor.add_(0.25)
        after = before + 0.25
    elif kind == "square":
        target.tensor.mul_(target.tensor.clone())
        after = before * before
    elif kind == "tanh":
        target.tensor.copy_(target.tensor.tanh())
        after = before.tanh()
    elif kind == "fill":
        target.tensor.fill_(0.5)
        after = before * 0 + 0.5
    else:
        source = pick(draw, program)
        value, twin = source.tensor.clone(), program.functional(source)
        while value.ndim > 0:
            value, twin = value.select(0, 0), twin.select(0, 0)
        if kind == "copy":
            target.tensor.copy_(value)
            after = twin.expand(before.shape)
        else:
            target.tensor.mul_(value)
            after = before * twin
    cells = wg.tensor(target.cells.reshape(-1))
    program.bases[target.base] = program.bases[target.base].index_copy(0, cells, after.reshape(-1))


def read(draw, program):
    """Keep a value for the end, as it is now."""
    source = pick(draw, program)
    program.read.append((source.tensor * 3, program.functional(source) * 3))


@st.composite
def programs(draw):
    """A program after it was run."""
    program = Program()
    program.start(draw(st.integers(1, 2)))
    for _ in range(draw(st.integers(1, 10))):
        draw(st.sampled_from([take_view, take_view, write, write, read]))(draw, program)
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
