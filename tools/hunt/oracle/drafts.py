"""Programs while they are written: what their variables hold so far, and whether a statement may be added.

A statement is tried before it is taken. It must run, give finite numbers of moderate size, leave the input as it is,
and be smooth where it is: other values near those of its operands change its result by about as much. So programs have
no kinks and no poles, whatever operators they are made of, and differences are derivatives.
"""

from __future__ import annotations

import random
import re
from types import CodeType
from typing import Any

import numpy as np

import wengert as wg
from tools.written import tensor_text

REFUSED = (RuntimeError, ValueError, TypeError, IndexError, AttributeError, ZeroDivisionError, AssertionError)
"""What a statement that is no good may raise."""
LARGEST, MOST_ELEMENTS, MOST_DIMENSIONS = 30.0, 24, 3
STEP = 1e-3
STEEPEST, MOST_BENT = 30.0, 300.0
NAMES: dict[str, Any] = {"wg": wg, "np": np, "F": wg.nn.functional}
"""What programs may use beside their variables."""
INDENT = "    "


def others(x: Any) -> list[Any]:
    """Return other points, at which a program must run, too."""
    return [x * 0.9 + 0.15, x * 0.97]


class Draft:
    """A function `f(x)` while it is written.

    Attributes:
        draw: where choices come from.
        point: the text of `x`.
        lines: the statements.
        spaces: the variables at `x`, and at other points.
        reads: how many statements have read a variable.
        latest: the variable that was assigned or written to last.
    """

    def __init__(self, draw: random.Random, point: str) -> None:
        self.draw, self.point = draw, point
        self.lines: list[str] = []
        self.reads: dict[str, int] = {}
        self.latest = "x"
        self.begin()

    def begin(self) -> None:
        """Run all statements from the start."""
        x = eval(self.point, dict(NAMES))
        self.spaces = [{**NAMES, "x": point} for point in (x, *others(x))]
        for space in self.spaces:
            exec("\n".join(self.lines), space)

    # ---- what statements are made of ---------------------------------------------------------------------------------

    def new(self) -> str:
        """Return the name of a new variable."""
        return f"v{len(self.variables())}"

    def value(self, name: str) -> Any:
        """Return what a variable holds."""
        return self.spaces[0][name]

    def variables(self) -> list[str]:
        """The variables in the order of their assignment."""
        return [name for name in self.spaces[0] if name == "x" or re.fullmatch(r"v\d+", name)]

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a variable."""
        return tuple(self.value(name).shape)

    def is_complex(self, name: str) -> bool:
        """Whether a variable is complex."""
        return bool(self.value(name).is_complex())

    def pick(self, least: int = 0, most: int = MOST_DIMENSIONS) -> str:
        """Return a variable with so many dimensions, later ones more often; `x` where there is none."""
        fitting = [name for name in self.variables() if least <= self.value(name).ndim <= most]
        return self.draw.choices(fitting, range(1, len(fitting) + 1))[0] if fitting else "x"

    def target(self) -> str:
        """Return a variable to write to: one that nothing has read, where there is one, is twice as likely."""
        fitting = [name for name in self.variables() if name != "x"]
        weights = [1.0 / (1 + self.reads.get(name, 0)) ** 2 for name in fitting]
        return self.draw.choices(fitting, weights)[0] if fitting else ""

    def number(self) -> str:
        """Return a number as text."""
        return f"{self.draw.choice((-1, 1)) * self.draw.uniform(0.2, 1.8):.2f}"

    def constant(self, shape: tuple[int, ...], maker: str = "") -> str:
        """Return a constant tensor, or array, of a shape."""
        values = np.array([float(self.number()) for _ in range(int(np.prod(shape)))]).reshape(shape)
        if 0 in shape:
            return f"wg.zeros({shape}, dtype=wg.float64)"
        maker = maker or self.draw.choice(("wg.tensor({}, dtype=wg.float64)",) * 3 + ("np.array({})",))
        return maker.format(values.tolist())

    def operand(self, shape: tuple[int, ...]) -> str:
        """Return an expression that broadcasts to a shape, mostly one with a variable."""
        kind = self.draw.random()
        if kind < 0.1:
            return self.number()
        if kind < 0.2:
            return self.constant(shape if self.draw.random() < 0.7 else shape[1:])
        fitting = [name for name in self.variables() if broadcasts(self.shape(name), shape)]
        if not fitting or kind < 0.3:
            return self.summary(self.pick())
        name = self.draw.choices(fitting, range(1, len(fitting) + 1))[0]
        return self.draw.choice(("{}", "{}", "{}", "{}.sin()", "({} * {})", "{}.tanh()", "({} + {})")).format(
            name, *[self.number()]
        )

    def exact(self, shape: tuple[int, ...]) -> str:
        """Return an expression of exactly that shape."""
        same = [name for name in self.variables() if self.shape(name) == shape]
        if same and self.draw.random() < 0.8:
            return self.draw.choice(("{}", "{}", "{}.cos()", "({} * {})")).format(self.draw.choice(same), self.number())
        return f"({self.constant(shape, 'wg.tensor({}, dtype=wg.float64)')} * {self.summary(self.pick())})"

    def summary(self, name: str, real: bool = False) -> str:
        """Return an expression without dimensions that depends on a variable."""
        size = self.value(name).numel()
        if real and self.is_complex(name):
            name = f"{name}.real"
        if not size:
            return f"{name}.sum()"
        at = self.draw.randrange(size)
        return self.draw.choice(("{0}.sum()", "{0}.mean()", "{0}.flatten()[{1}]", "{0}.sin().sum()")).format(name, at)

    def dependent(self, slot: Any) -> str:
        """Return what stands in the place of a tensor of a sample, from whose domain it does not lead far."""
        kind, shape, tensor = self.draw.random(), slot.shape, slot.tensor
        same = [name for name in self.variables() if self.value(name).dtype == tensor.dtype]
        same = [name for name in same if self.shape(name) == shape]
        if same and kind < 0.4:
            return self.draw.choice(same)
        constant = tensor_text(tensor)
        if kind < 0.5:
            return constant
        fitting = [name for name in self.variables() if broadcasts(self.shape(name), shape)]
        what = self.draw.choice(fitting) if fitting else self.summary(self.pick())
        return f"({constant} + 0.1 * {self.bounded(what)}.sin())"

    def bounded(self, what: str) -> str:
        """Return an expression, or its real part where the sine of a complex number would be large."""
        with wg.no_grad():
            value = eval(what, dict(self.spaces[0]))
        return f"{what}.real" if value.is_complex() and np.abs(value.numpy().imag).max(initial=0) > 2 else what

    # ---- whether a statement may be added ----------------------------------------------------------------------------

    def add(self, text: str, name: str, write: bool = False) -> bool:
        """Add a statement that assigns or writes to a variable, if it is a good one; return whether it is."""
        code = compile(text, "<statement>", "exec")
        try:
            with wg.no_grad():
                if not self.is_smooth(code, text, name):
                    return False
                taken = self.run(code, name, write)
        except REFUSED:
            taken = False
        if not taken:
            self.begin()
            return False
        self.lines += text.splitlines()
        for read in set(re.findall(r"\bv\d+\b", text)) - {name}:
            self.reads[read] = self.reads.get(read, 0) + 1
        self.latest = name
        return True

    def is_smooth(self, code: CodeType, text: str, name: str) -> bool:
        """Whether a result is finite, and changes as little as it should where operands change a little."""
        read = set(re.findall(r"\b(?:v\d+|x)\b", text)) & set(self.spaces[0])
        random = np.random.default_rng(len(self.lines))
        ways = {variable: random.uniform(0.5, 1.5, self.shape(variable)) for variable in sorted(read)}
        results = []
        for step in (0.0, STEP, -STEP, 0.0):
            space = dict(NAMES)
            for variable, way in ways.items():
                space[variable] = moved(self.value(variable), step * way)
            exec(code, space)
            if not is_good(space[name]):
                return False
            results.append(space[name].numpy())
        middle, one, other, again = results
        if not np.array_equal(middle, again):
            return False  # random numbers
        steep, bent = np.abs(one - other).max(initial=0), np.abs(one + other - 2 * middle).max(initial=0)
        return bool(steep <= 2 * STEP * STEEPEST and bent <= STEP * STEP * MOST_BENT)

    def run(self, code: CodeType, name: str, write: bool) -> bool:
        """Run a statement at all points; whether that left everything as it should be."""
        for space in self.spaces:
            if write and np.shares_memory(space[name]._array_, space["x"]._array_):
                return False
            exec(code, space)
            if not is_good(space[name]) or space["x"]._version:
                return False
        return True


def broadcasts(one: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a tensor broadcasts to a shape."""
    try:
        return np.broadcast_shapes(one, shape) == shape
    except ValueError:
        return False


def moved(value: Any, by: Any) -> Any:
    """A copy of a tensor at other values."""
    if value.is_complex():
        by = by * (1 + 0.5j)
    return wg.tensor(value.numpy() + by)


def is_good(value: Any) -> bool:
    """Whether a variable may hold a value."""
    if not isinstance(value, wg.Tensor) or value.dtype not in (wg.float64, wg.complex128):
        return False
    if value.numel() > MOST_ELEMENTS or value.ndim > MOST_DIMENSIONS or value.layout != wg.strided:
        return False
    return bool(np.abs(value.numpy()).max(initial=0) <= LARGEST)  # not true of NaN
