"""The statements of random programs: buffers, views, writes, loops, choices, products, complex numbers, operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tools.beside_torch.generate import listed
from tools.hunt.oracle import calls
from tools.hunt.oracle.drafts import Draft
from wengert._core.operators.overlap import is_seen_twice

Statement = Callable[[Draft], "tuple[str, str, bool] | None"]
"""Give a statement, the variable that it assigns or writes to, and whether it writes; None where none fits."""

SHAPES: tuple[tuple[int, ...], ...] = ((), (1,), (2,), (3,), (2, 3), (3, 2), (0,))
VIEWS = listed(r"""
    {v}[0] ; {v}[-1] ; {v}[1:] ; {v}[:-1] ; {v}[::2] ; {v}[..., 1:] ; {v}[..., 0] ; {v}[None] ; {v}[:, 0] ;
    {v}.t() ; {v}.transpose(0, -1) ; {v}.unsqueeze(-1) ; {v}.expand(2, *{shape}) ; {v}.expand(3) ;
    {v}.reshape(-1) ; {v}.view(-1) ; {v}.flatten() ; {v}.unbind(0)[-1] ; {v}.unbind(-1)[0] ; {v}.split(1)[-1] ;
    {v}.chunk(2, -1)[0] ; {v}.diagonal() ; {v}.narrow(0, 1, 1) ; {v}.squeeze() ; {v}.movedim(0, -1) ;
    {v}.unfold(-1, 2, 1) ; {v}.swapaxes(0, 1) ; {v}.mT ; {v}.select(-1, 0) ; {v}.expand_as({w}) ; {v}.real ;
    {v}.imag ; wg.view_as_real({v}) ; {v}.view_as({w}) ; {v}.permute(1, 0)
""")
BUFFERS = listed(r"""
    wg.zeros({shape}, dtype=wg.float64) ; wg.zeros({shape}, dtype=wg.float64) ; {v}.new_zeros({shape}) ;
    wg.empty_like({v}).fill_({c}) ; {v}.clone() ; wg.zeros_like({v}) ; wg.full({shape}, {c}, dtype=wg.float64) ;
    wg.empty({shape}, dtype=wg.float64).copy_({e}) ; wg.ones({shape}, dtype=wg.float64) ;
    {v}.new_full({shape}, {c}) ; wg.empty({shape}, dtype=wg.float64).fill_({s}) ; {v} * 1 ; {v} + 0 ;
    wg.zeros({shape}, dtype=wg.complex128)
""")
PARTS = (
    "[0]",
    "[-1]",
    "[1:]",
    "[:-1]",
    "[::2]",
    "[..., 0]",
    "[...]",
    "[:]",
    "[None]",
    "[:, 1:]",
    "[[0, -1]]",
    "[1, 0]",
)
WRITES = listed(r"""
    {p} += {e} ; {p} -= {e} ; {p} *= {e} ; {p} /= {e} * {e} + 1 ; {p} = {e} ; {p} = {e} ;
    {q}.add_({e}, alpha={c}) ; {q}.copy_({e}) ; {q}.fill_({s}) ; {q}.fill_({c}) ; {q}.mul_({e}) ;
    {q}.lerp_({x}, {x}) ; {q}.lerp_({x}, 0.3) ; {q}.addcmul_({t}, {t}, value={c}) ;
    {q}.addcdiv_({t}, {t} * {t} + 1) ; {q}.index_add_(0, wg.tensor([0, 0]), {i}) ;
    {q}.index_copy_(0, wg.tensor([1, 0]), {i}) ; {q}.index_put_((wg.tensor([0, 0]),), {e}, accumulate=True) ;
    {q}.index_put_((wg.tensor([1]),), {t}) ; {q}.scatter_(0, wg.zeros({one}, dtype=wg.int64), {x}[:1]) ;
    {q}.scatter_add_(-1, wg.zeros({shape}, dtype=wg.int64), {x}) ; {q}.masked_fill_({mask}, {s}) ;
    {q}.masked_fill_({mask}, {c}) ; {q}.clamp_(-1.1, 1.3) ; {q}.sin_() ; {q}.tanh_() ; {q}.zero_() ;
    {q}.sigmoid_() ; {q}.where({mask}, {t}).cos_() ; {q}[{mask}] = {s} ; {q}[{mask}] *= {c} ;
    {q}.sub_({e}).mul_({e}) ; {q}.pow_(2) ; {q}.div_({e} * {e} + 1) ; {q}.neg_() ; {q}.exp_() ;
    {q}.atan2_({t} * {t} + 1) ; {q}.hypot_({t})
""")
LOOPS = (
    "{n} = {v}.new_zeros({inner})\nfor row in {v}:\n    {n} = {n} + row * {c}",
    "{n} = wg.zeros({inner}, dtype=wg.float64)\nfor row in {v}:\n    {n} += row",
    "{n} = wg.zeros({inner}, dtype=wg.float64)\nfor at in range(len({v})):\n    {n} += {v}[at] * {s}",
    "{n} = 0.0\nfor row in {v}.unbind(0):\n    {n} = {n} + row.sin()",
    "{n} = {v}.clone()\nfor _ in range(3):\n    {n} += 0.1 * ({x} - {n})",
    "{n} = {v}.clone()\nfor _ in range(2):\n    {n} = {n} + 0.2 * ({x} - {n}).sin()",
    "{n} = wg.zeros({shape}, dtype=wg.float64)\nfor at in range(len({v})):\n    {n}[at] = {v}[at] * {c}",
    "{n} = wg.zeros_like({v})\nfor at in range(1, len({v})):\n    {n}[at] = {n}[at - 1] * 0.5 + {v}[at]",
    "{n} = {v}.clone()\nfor at in range(1, len({v})):\n    {n}[at] += {n}[at - 1].sin() * {c}",
    "{n} = wg.empty_like({v})\nfor at, row in enumerate({v}):\n    {n}[at] = row * {s}",
    "{n} = wg.stack([row.sin() * {c} for row in {v}])",
    "rows = []\nfor row in {v}:\n    rows.append(row + (rows[-1] if rows else {c}))\n{n} = wg.stack(rows)",
    "{n} = {v}.clone()\nfor _ in range(3):\n    {n} = {n}.mul_(0.7).add_({x})",
)
EXPRESSIONS = listed(r"""
    {v} + {t} ; {v} * {t} ; {v} - {e} ; {c} - {v} ; {v} / ({t} * {t} + 1) ; {v} ** 2 ; {c} * {v} ; 2 ** {v} ;
    wg.where({mask}, {v}, {e}) ; wg.where({v} > {c}, {x}, {x} * {v}) ; wg.stack([{v}, {x}]) ;
    wg.cat([{v}, {x}]) ; wg.stack([{v}, {x}], -1) ; {v} @ {w} ; {v}.t() @ {w} ; {v} @ {w}.t() ;
    wg.outer({v}, {w}) ; {v}.sum() ; wg.einsum('i,i->', {v}, {x}) ; wg.einsum('ij,kj->ik', {v}, {x}) ;
    {v}.mean(0) ; {v}.sum(-1, keepdim=True) ; {v}.prod(0) ; {v}.amax(-1) ; {v}.cumsum(0) ; {v}.softmax(-1) ;
    {v}.logsumexp(0) ; {v}.var(0) ; {v}.flip(0) ; {v}.roll(1) ;
    {v}.gather(0, wg.zeros({shape}, dtype=wg.int64)) ; {v}[wg.tensor([0, 0, 1])] ; {v}[{v} > {c}].sum() ;
    {v}.masked_fill({mask}, {c}) ; {v}.clamp(-1.0, 1.2) ; {v} + ({v} * {c} + {e}).relu_() ; {v}.max() ;
    {v}.norm() ; ({v} * {t} + 0.12345).relu_() + {v} ; {v}.repeat(2) ; {v}.sort(0)[0] ; {v}.contiguous() ; +{v} ; -{v} ;
    {v}.abs() ; wg.maximum({v}, {x}) ; {v}.index_select(0, wg.tensor([1, 0, 0])) ; {v} * np.float64({c}) ;
    {v} * {k} ; {k} * {v} ; {v} + {k} ; wg.as_tensor({k}) * {v} ; {v}.tril() ;
    wg.tensor([[1.0, 0.3], [0.2, 2.0]]) @ {v} ; wg.addmm({x}, {v}, {w}) ;
    {v}.scatter_add(0, wg.zeros({shape}, dtype=wg.int64), {x}) ; F.pad({v}, (1, 1))
""")
COMPLEX = listed(r"""
    {v} * (0.3 + 1.1j) ; wg.complex({v}, {x}) ; {v}.conj() ; {v} * {t}.conj() ; {v}.abs() ; {v}.real ;
    {v}.imag ; wg.view_as_real({v}) ; wg.view_as_complex({v}) ; {v}.exp() * 0.5 ; wg.fft.fft({v}) ;
    wg.fft.rfft({v}) ; {v} @ {w}.conj() ; wg.polar({v}, {x}) ; {v}.angle() ; {v} * 1j + {x} ;
    {v}.to(wg.complex128) ; ({v} * 1j).sin() ; ({v} + 0.12345).abs() ** 2 ; wg.fft.ifft({v}).real ; {v}.conj().imag ;
    wg.stack([{v} * 1j, {v} + 0j]) ; {v}.resolve_conj() ; {v}.mH
""")


def fill(draft: Draft, form: str, v: str) -> str:
    """Return a form with expressions of a draft in the place of its fields."""
    shape = draft.shape(v)
    makers = {
        "v": lambda: v,
        "w": draft.pick,
        "shape": lambda: shape,
        "inner": lambda: shape[1:],
        "c": draft.number,
        "n": draft.new,
        "s": lambda: draft.summary(draft.pick(), not draft.is_complex(v)),
        "e": lambda: draft.operand(shape),
        "x": lambda: draft.exact(shape),
        "k": lambda: draft.constant(shape, "np.array({})"),
        "t": lambda: as_tensor(draft, shape),
        "i": lambda: draft.exact((2, *shape[1:])),
        "one": lambda: (1, *shape[1:]),
        "mask": lambda: mask(draft, shape),
    }
    text = form
    for name, make in makers.items():
        while "{" + name + "}" in text:
            text = text.replace("{" + name + "}", str(make()), 1)
    return text


def as_tensor(draft: Draft, shape: tuple[int, ...]) -> str:
    """Return an operand that is a tensor, not a number."""
    text = draft.operand(shape)
    return text if "v" in text or "x" in text else draft.exact(shape)


def mask(draft: Draft, shape: tuple[int, ...]) -> str:
    """Return a mask of a shape."""
    if draft.draw.random() < 0.6:
        return f"({draft.exact(shape)} > {draft.number()})"
    return f"wg.ones({shape}, dtype=wg.bool)" if draft.draw.random() < 0.3 else f"({draft.constant(shape)} > 0)"


def assigned(draft: Draft, form: str) -> tuple[str, str, bool]:
    """Return the statement that assigns an expression to a new variable."""
    name = draft.new()
    return f"{name} = {fill(draft, form, draft.pick())}", name, False


def buffer(draft: Draft) -> tuple[str, str, bool]:
    """A buffer, or a copy."""
    form, v = draft.draw.choice(BUFFERS), draft.pick()
    if draft.draw.random() < 0.5:
        form = form.replace("{shape}", str(draft.draw.choice(SHAPES)))
    name = draft.new()
    return f"{name} = {fill(draft, form, v)}", name, False


def view(draft: Draft) -> tuple[str, str, bool]:
    """A view."""
    return assigned(draft, draft.draw.choice(VIEWS))


def expression(draft: Draft) -> tuple[str, str, bool]:
    """An expression."""
    return assigned(draft, draft.draw.choice(EXPRESSIONS))


def complex_number(draft: Draft) -> tuple[str, str, bool]:
    """An expression with complex numbers."""
    return assigned(draft, draft.draw.choice(COMPLEX))


def write(draft: Draft) -> tuple[str, str, bool] | None:
    """A write to a variable, or to a part of one."""
    name = draft.target()
    if not name:
        return None
    form, part = draft.draw.choice(WRITES), ""
    if draft.draw.random() < 0.5 or form.startswith("{p} = "):
        part = draft.draw.choice(PARTS)
    elif draft.draw.random() < 0.2 and "{q}" in form:
        part = draft.draw.choice(VIEWS).removeprefix("{v}").replace("{w}", name).replace("{shape}", "(1,)")
        if "{" in part or not part.startswith((".", "[")):
            return None
    target = part_of(draft, name, part)
    if target is None or is_seen_twice(target._array_):
        return None
    shape = tuple(target.shape)
    if part == "[[0, -1]]" and draft.shape(name)[0] < 2:
        return None  # one place, written to twice
    form = form.replace("{p}", name + part).replace("{q}", name + part)
    return fill_for(draft, form, name, shape), name, True


def part_of(draft: Draft, name: str, part: str) -> Any:
    """Return a part of a variable; None where it has no such part."""
    try:
        return eval(name + part, dict(draft.spaces[0]))
    except (RuntimeError, IndexError, TypeError, ValueError):
        return None


def fill_for(draft: Draft, form: str, name: str, shape: tuple[int, ...]) -> str:
    """Fill a form whose expressions have the shape of a part."""
    space = draft.spaces[0]
    stand_in = space[name].new_zeros(shape)
    space["part"] = stand_in
    try:
        return fill(draft, form, "part")
    finally:
        del space["part"]


def operator_write(draft: Draft) -> tuple[str, str, bool] | None:
    """An in-place operator of the registry: on a variable of the shape of its sample, or on one that is made for it."""
    call = calls.drawn(draft.draw, calls.in_place())
    if not isinstance(call.args[0], calls.Slot):
        return None
    same = [name for name in draft.variables() if name != "x" and draft.shape(name) == call.args[0].shape]
    same = [name for name in same if not is_seen_twice(draft.value(name)._array_)]
    if same and draft.draw.random() < 0.7:
        name = draft.draw.choice(same)
        return operands(draft, call, name), name, True
    name = draft.new()
    first = draft.dependent(call.args[0])
    return f"{name} = {first} * 1\n{operands(draft, call, name)}", name, False


def operands(draft: Draft, call: calls.Call, first: str) -> str:
    """Return a call whose first argument is a variable."""
    own = call.args[0]
    return call.text(lambda slot: first if slot is own else draft.dependent(slot))


def operator(draft: Draft) -> tuple[str, str, bool]:
    """An operator of the registry, in one of the ways in which programs call it."""
    call = calls.drawn(draft.draw, calls.functions())
    name = draft.new()
    text = call.text(draft.dependent)
    part = draft.draw.choice(call.results)
    return f"{name} = {text}{part}", name, False


def loop(draft: Draft) -> tuple[str, str, bool]:
    """A loop: an accumulator, a recurrence, steps of Euler's method."""
    name = draft.new()
    return fill(draft, draft.draw.choice(LOOPS), draft.pick(least=1)), name, False


KINDS: dict[Statement, int] = {
    buffer: 14,
    view: 10,
    write: 26,
    expression: 18,
    operator: 14,
    operator_write: 8,
    loop: 6,
    complex_number: 2,
}
"""The kinds of statements, and how often each is drawn."""
