"""Ways to evaluate a program and its derivatives: each gives some quantities, which must be the same in all of them.

Quantities are `value`, `jacobian` (elements of the result by elements of the input), `hessian` and `third` (of the sum
of the result, weighted, along a direction), and the same for each member of a batch, `values`, `jacobians`, `hessians`.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import wengert as wg
from tools.hunt.oracle.drafts import NAMES, others
from wengert.autograd import forward_ad, functional
from wengert.func import grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap

Function = Callable[[Any], Any]
Quantities = dict[str, Any]
"""Arrays by what they are."""


@dataclass
class Task:
    """A program and what it is evaluated with.

    Attributes:
        text: what it is made from.
        f, x: the function and its input.
        members: other inputs, the first of which is `x`; `batch` holds them along dimension `dim`.
        weights: numbers for the elements of the result, a gradient of it.
        way: a direction, a tangent of the input.
        kept: the arrays behind these and the values that they must keep.
    """

    text: str
    f: Function
    x: Any
    members: list[Any]
    batch: Any
    dim: int
    weights: Any
    way: Any
    kept: list[tuple[str, Any, Any]] = field(default_factory=list)

    def total(self, x: Any) -> Any:
        """Return the sum of the result, weighted."""
        return (self.f(x) * self.weights).sum()

    def begin(self) -> None:
        """Note what must not change."""
        named = {"the input": self.x, "the gradient": self.weights, "the tangent": self.way, "the batch": self.batch}
        self.kept = [(name, tensor, tensor._array_.copy()) for name, tensor in named.items()]

    def changed(self) -> list[str]:
        """What has changed nevertheless."""
        return [
            name
            for name, tensor, before in self.kept
            if tensor._version or not np.array_equal(tensor._array_, before) or tensor.requires_grad
        ]


def task_of(text: str) -> Task:
    """Return the task that a program is; random numbers come from its text."""
    f, x = parts_of(text)
    seed = zlib.crc32(text.encode())
    random = np.random.default_rng(seed)
    with wg.no_grad():
        y = f(x)
    if x._version:
        raise ValueError("the program writes to its input")
    if y.is_complex():
        raise ValueError("the program returns complex numbers")
    dim = -1 if seed % 3 == 0 else 0
    batch = batch_of(x, dim)
    weights = wg.tensor(random.uniform(0.5, 1.5, tuple(y.shape)) * random.choice([-1, 1], tuple(y.shape)))
    way = wg.tensor(random.uniform(0.5, 1.5, tuple(x.shape)) * random.choice([-1, 1], tuple(x.shape)))
    if x.ndim and 0 in x.stride() and seed % 2:
        way = way[(slice(0, 1),) * x.ndim].expand(x.shape)
    task = Task(text, f, x, [*batch.unbind(dim)], batch, dim, weights, way)
    task.begin()
    return task


def neighbour(task: Task, seed: int) -> Task:
    """Return a task whose numbers with a decimal point, those of the input among them, differ in their last digits."""
    random = np.random.default_rng(seed)

    def near(number: re.Match[str]) -> str:
        return repr(float(number[0]) * (1 + random.integers(-4, 5) * 2.0**-52))

    f, x = parts_of(re.sub(r"(?<![\w.])\d+\.\d+", near, task.text))
    batch = batch_of(x, task.dim)
    close_by = replace(task, f=f, x=x, batch=batch, members=[*batch.unbind(task.dim)])
    close_by.begin()
    return close_by


def parts_of(text: str) -> tuple[Function, Any]:
    """Return the function and the input that a text defines."""
    space = dict(NAMES)
    exec(compile(text, "<program>", "exec"), space)
    return space["f"], space["x"]


def batch_of(x: Any, dim: int) -> Any:
    """Return an input and others like it, along a dimension."""
    return laid_out([x, *others(x)]).movedim(0, dim)


def laid_out(members: list[Any]) -> Any:
    """Return a batch, along the first dimension, each member of which lies in memory as the first of these."""
    first = members[0]
    reach = 1 + sum(step * (length - 1) for length, step in zip(first.shape, first.stride())) if first.numel() else 0
    batch = wg.empty_strided((len(members), *first.shape), (reach, *first.stride()), dtype=first.dtype)
    for at, member in enumerate(members):
        np.copyto(batch._array_[at, ...], member._array_)  # elements that share memory have the same value
    return batch


@dataclass(frozen=True)
class Mode:
    """A way to evaluate a program.

    Attributes:
        name, run: its name, and what evaluates.
        backward: it goes backwards, so that what was recorded must not have been written to.
        batched: the program's own values carry a batch.
        always: it is cheap enough to be asked for every program.
    """

    name: str
    run: Callable[[Task], Quantities]
    backward: bool
    batched: bool
    always: bool


MODES: dict[str, Mode] = {}
"""All modes by name."""


def mode(
    *, backward: bool = False, batched: bool = False, always: bool = False
) -> Callable[[Callable[[Task], Quantities]], Callable[[Task], Quantities]]:
    """Enter a function into the modes."""

    def decorate(run: Callable[[Task], Quantities]) -> Callable[[Task], Quantities]:
        MODES[run.__name__] = Mode(run.__name__, run, backward, batched, always)
        return run

    return decorate


def basis(like: Any) -> list[Any]:
    """Return the unit tensors of a shape."""
    shape, size = tuple(like.shape), like.numel()
    return [wg.tensor(row.reshape(shape)) for row in np.eye(size)]


def flat(rows: Any, result: Any, x: Any) -> Any:
    """A Jacobian as a matrix."""
    return array(rows).reshape(result.numel(), x.numel())


def array(value: Any) -> Any:
    """The values of a tensor."""
    return value.detach().numpy().copy()


def rows_of(y: Any, leaf: Any, create_graph: bool = False) -> list[Any]:
    """The gradients of each element of a result; zeros where nothing leads to the leaf."""
    rows = []
    for unit in basis(y):
        grad = None
        if y.requires_grad:
            (grad,) = wg.autograd.grad(y, leaf, unit, retain_graph=True, create_graph=create_graph, allow_unused=True)
        rows.append(wg.zeros_like(leaf) if grad is None else grad)
    return rows


def matrix(rows: list[Any], columns: int) -> Any:
    """Rows as a matrix."""
    return np.array([array(row).reshape(-1) for row in rows]).reshape(len(rows), columns)


# ---- first derivatives -----------------------------------------------------------------------------------------------


@mode(backward=True, always=True)
def reverse(task: Task) -> Quantities:
    """A backward pass for each element of the result."""
    leaf = task.x.detach().requires_grad_()
    y = task.f(leaf)
    return {"value": array(y), "jacobian": matrix(rows_of(y, leaf), leaf.numel())}


@mode(backward=True)
def backward(task: Task) -> Quantities:
    """`backward` from a leaf, whose gradient shares no memory with what the caller has."""
    leaf = task.x.detach().requires_grad_()
    y = task.f(leaf)
    if not y.requires_grad:
        return {"value": array(y), "gradient": np.zeros(leaf.shape)}
    y.backward(task.weights)
    if leaf.grad is None:
        return {"value": array(y), "gradient": np.zeros(leaf.shape)}
    apart("the gradient of a leaf", leaf.grad, {"the input": task.x, "the result": y, "the caller's": task.weights})
    return {"value": array(y), "gradient": array(leaf.grad)}


def apart(what: str, result: Any, others: dict[str, Any]) -> None:
    """Raise an AssertionError if a result shares memory with something else."""
    for name, other in others.items():
        if np.shares_memory(result._array_, other._array_):
            raise AssertionError(f"{what} shares memory with {name}")


@mode(always=True)
def forward(task: Task) -> Quantities:
    """`jvp` for each element of the input."""
    value, columns = task.f(task.x), []
    for unit in basis(task.x):
        value, tangent = jvp(task.f, (task.x,), (unit,))
        apart("a tangent", tangent, {"the result": value, "the input": task.x})
        columns.append(tangent)
    return {"value": array(value), "jacobian": matrix(columns, value.numel()).T}


@mode()
def along(task: Task) -> Quantities:
    """Dual tensors by hand."""
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(task.x, task.way)
        value, tangent = forward_ad.unpack_dual(task.f(dual))
        tangent = wg.zeros_like(value) if tangent is None else tangent
        return {"value": array(value), "directional": array(tangent)}


@mode(backward=True)
def linear_map(task: Task) -> Quantities:
    """`linearize`, called twice."""
    value, push = linearize(task.f, task.x)
    push(task.way * 2)
    return {"value": array(value), "directional": array(push(task.way))}


@mode(backward=True)
def pulled(task: Task) -> Quantities:
    """`vjp`."""
    value, pull = vjp(task.f, task.x)
    return {"value": array(value), "gradient": array(pull(task.weights)[0])}


@mode(always=True)
def forward_batched(task: Task) -> Quantities:
    """`jacfwd`."""
    return {"jacobian": array(jacfwd(task.f)(task.x)).reshape(task.weights.numel(), task.x.numel())}


@mode(backward=True, always=True)
def reverse_batched(task: Task) -> Quantities:
    """`jacrev`."""
    return {"jacobian": flat(jacrev(task.f)(task.x), task.weights, task.x)}


@mode(backward=True)
def functional_reverse(task: Task) -> Quantities:
    """`functional.jacobian`."""
    return {"jacobian": flat(functional.jacobian(task.f, task.x), task.weights, task.x)}


@mode(backward=True)
def functional_vectorized(task: Task) -> Quantities:
    """`functional.jacobian(vectorize=True)`."""
    return {"jacobian": flat(functional.jacobian(task.f, task.x, vectorize=True), task.weights, task.x)}


@mode()
def functional_forward(task: Task) -> Quantities:
    """`functional.jacobian(vectorize=True, strategy="forward-mode")`."""
    jacobian = functional.jacobian(task.f, task.x, vectorize=True, strategy="forward-mode")
    return {"jacobian": flat(jacobian, task.weights, task.x)}


@mode(backward=True)
def functional_products(task: Task) -> Quantities:
    """`functional.jvp` and `functional.vjp`."""
    value, tangent = functional.jvp(task.f, task.x, task.way)
    _, gradient = functional.vjp(task.f, task.x, task.weights)
    return {"value": array(value), "directional": array(tangent), "gradient": array(gradient)}


# ---- a batch ---------------------------------------------------------------------------------------------------------


@mode(backward=True)
def one_by_one(task: Task) -> Quantities:
    """Each member alone, backwards."""
    values, matrices = [], []
    for member in task.members:
        leaf = member.detach().requires_grad_()
        y = task.f(leaf)
        values.append(array(y))
        matrices.append(matrix(rows_of(y, leaf), leaf.numel()))
    return {"values": np.array(values), "jacobians": np.array(matrices)}


@mode()
def one_by_one_forward(task: Task) -> Quantities:
    """Each member alone, forwards."""
    values, matrices = [], []
    for member in task.members:
        pairs = [jvp(task.f, (member,), (unit,)) for unit in basis(member)]
        values.append(array(task.f(member)))
        matrices.append(matrix([tangent for _, tangent in pairs], task.weights.numel()).T)
    return {"values": np.array(values), "jacobians": np.array(matrices)}


@mode(batched=True)
def batch(task: Task) -> Quantities:
    """`vmap`."""
    return {"values": array(vmap(task.f, in_dims=task.dim)(task.batch))}


def members(result: Any, task: Task) -> Any:
    """Jacobians of members as matrices."""
    return array(result).reshape(len(task.members), task.weights.numel(), task.x.numel())


@mode(backward=True, batched=True)
def batch_reverse(task: Task) -> Quantities:
    """`vmap(jacrev)`."""
    return {"jacobians": members(vmap(jacrev(task.f), in_dims=task.dim)(task.batch), task)}


@mode(batched=True)
def batch_forward(task: Task) -> Quantities:
    """`vmap(jacfwd)`."""
    return {"jacobians": members(vmap(jacfwd(task.f), in_dims=task.dim)(task.batch), task)}


@mode(batched=True)
def batch_tangents(task: Task) -> Quantities:
    """`vmap(jvp)`, one direction for all members."""
    push = vmap(lambda x: jvp(task.f, (x,), (task.way,)), in_dims=task.dim)
    values, tangents = push(task.batch)
    return {"values": array(values), "directionals": array(tangents)}


@mode(backward=True, batched=True)
def batch_gradients(task: Task) -> Quantities:
    """`vmap(grad)`."""
    return {"gradients": array(vmap(grad(task.total), in_dims=task.dim)(task.batch))}


@mode(backward=True, batched=True)
def gradient_of_batch(task: Task) -> Quantities:
    """`grad` of `vmap`."""
    gradients = grad(lambda b: (vmap(task.f, in_dims=task.dim)(b) * task.weights).sum())(task.batch)
    return {"gradients": array(gradients.movedim(task.dim, 0))}


@mode(batched=True)
def tangent_of_batch(task: Task) -> Quantities:
    """`jvp` of `vmap`."""
    ways = wg.stack([task.way] * len(task.members), task.dim)
    values, tangents = jvp(vmap(task.f, in_dims=task.dim), (task.batch,), (ways,))
    return {"values": array(values), "directionals": array(tangents)}


# ---- second derivatives ----------------------------------------------------------------------------------------------


def square(result: Any, task: Task) -> Quantities:
    """A Hessian as a matrix."""
    return {"hessian": array(result).reshape(task.x.numel(), task.x.numel())}


@mode(backward=True)
def twice_backward(task: Task) -> Quantities:
    """A recorded backward pass, and one for each element of its gradient."""
    leaf = task.x.detach().requires_grad_()
    (gradient,) = rows_of(task.total(leaf), leaf, create_graph=True)
    return {"hessian": matrix(rows_of(gradient, leaf), leaf.numel())}


@mode(backward=True)
def forward_over_reverse(task: Task) -> Quantities:
    """`hessian`."""
    return square(hessian(task.total)(task.x), task)


@mode(backward=True)
def reverse_over_reverse(task: Task) -> Quantities:
    """`jacrev(jacrev)`."""
    return square(jacrev(jacrev(task.total))(task.x), task)


@mode()
def forward_over_forward(task: Task) -> Quantities:
    """`jacfwd(jacfwd)`."""
    return square(jacfwd(jacfwd(task.total))(task.x), task)


@mode(backward=True)
def reverse_over_forward(task: Task) -> Quantities:
    """`jacrev(jacfwd)`."""
    return square(jacrev(jacfwd(task.total))(task.x), task)


@mode(backward=True)
def tangents_of_gradients(task: Task) -> Quantities:
    """`jvp` of `grad`."""
    columns = [jvp(grad(task.total), (task.x,), (unit,))[1] for unit in basis(task.x)]
    return {"hessian": matrix(columns, task.x.numel()).T}


@mode(backward=True)
def gradients_of_tangents(task: Task) -> Quantities:
    """`grad` of `jvp`."""
    rows = [grad(lambda x, unit=unit: jvp(task.total, (x,), (unit,))[1])(task.x) for unit in basis(task.x)]
    return {"hessian": matrix(rows, task.x.numel())}


@mode()
def tangents_of_tangents(task: Task) -> Quantities:
    """`jvp` of `jvp`."""
    units = basis(task.x)
    rows = [
        [jvp(lambda x, b=b: jvp(task.total, (x,), (b,))[1], (task.x,), (a,))[1].item() for b in units] for a in units
    ]
    return {"hessian": np.array(rows).reshape(len(units), len(units))}


@mode(backward=True)
def functional_hessian(task: Task) -> Quantities:
    """`functional.hessian`, both ways."""
    one = functional.hessian(task.total, task.x)
    other = functional.hessian(task.total, task.x, vectorize=True, outer_jacobian_strategy="forward-mode")
    return {**square(one, task), "hessian again": square(other, task)["hessian"]}


@mode(backward=True)
def second_products(task: Task) -> Quantities:
    """`functional.hvp` and `functional.vhp`."""
    one = array(functional.hvp(task.total, task.x, task.way)[1])
    return {"product": one, "product again": array(functional.vhp(task.total, task.x, task.way)[1])}


@mode(backward=True)
def one_by_one_second(task: Task) -> Quantities:
    """The second derivatives of each member alone."""
    matrices = []
    for member in task.members:
        leaf = member.detach().requires_grad_()
        (gradient,) = rows_of(task.total(leaf), leaf, create_graph=True)
        matrices.append(matrix(rows_of(gradient, leaf), leaf.numel()))
    return {"hessians": np.array(matrices)}


@mode(backward=True, batched=True)
def batch_second(task: Task) -> Quantities:
    """`vmap(hessian)`."""
    result = array(vmap(hessian(task.total), in_dims=task.dim)(task.batch))
    return {"hessians": result.reshape(len(task.members), task.x.numel(), task.x.numel())}


@mode(backward=True, batched=True)
def batch_second_reverse(task: Task) -> Quantities:
    """`vmap(jacrev(jacrev))`."""
    result = array(vmap(jacrev(jacrev(task.total)), in_dims=task.dim)(task.batch))
    return {"hessians": result.reshape(len(task.members), task.x.numel(), task.x.numel())}


@mode(backward=True)
def third_reverse(task: Task) -> Quantities:
    """The gradient of a second derivative along the direction: `grad(jvp(grad))`."""
    return {"third": array(grad(lambda x: (jvp(grad(task.total), (x,), (task.way,))[1] * task.way).sum())(task.x))}


@mode()
def third_forward(task: Task) -> Quantities:
    """The same with three forward modes: `jacfwd(jvp(jvp))`."""
    once = lambda x: jvp(task.total, (x,), (task.way,))[1]  # noqa: E731
    return {"third": array(jacfwd(lambda x: jvp(once, (x,), (task.way,))[1])(task.x))}
