"""Writes in place over more elements than a result of its own is made for otherwise: as the functional forms."""

from __future__ import annotations

import pytest

import wengert as wg
from wengert._core.cards.card import Card
from wengert.testing.calls import operators

ARGUMENTS = {
    **dict.fromkeys(("addcmul", "addcdiv", "lerp", "clamp"), 2),
    **dict.fromkeys(("hypot", "clamp_min", "clamp_max", "heaviside", "pow"), 1),
    **dict.fromkeys(("logical_and", "logical_or", "logical_xor"), 1),
    **dict.fromkeys(("add", "sub", "mul", "true_divide", "floor_divide", "remainder", "fmod", "atan2"), 1),
    **dict.fromkeys(("cumsum", "cumprod", "tril", "triu"), -1),
}
"""How many further tensors a call takes; -1: the number 0."""
NUMBERS: dict[str, list[object]] = {
    **{name: [0.75] for name in ("add", "sub", "mul", "true_divide", "floor_divide", "remainder", "fmod")},
    "threshold": [0.5, 2.0],
    "renorm": [2, 0, 1.0],
    "pow": [2],
    "clamp": [0.25, None],
    "clamp_min": [0.25],
    "clamp_max": [0.25],
    "lerp": [wg.full((50, 100), 0.5), 0.75],
    "tril": [-3],
    "triu": [7],
}
"""Further arguments that are no tensors of the same shape; for some cards both."""
PRODUCTS = ("addmm", "addmv", "addr", "baddbmm")
COUNT = 5000


def by_result() -> list[Card]:
    return [
        card
        for card in operators().values()
        if isinstance(card, Card)
        and card.in_place is not None
        and card.native is not None
        and (card.in_place.by_result or card.in_place.native is not None)
        and not (card.view or card.writer or card.name in ("index_add", "scatter_add", *PRODUCTS))
    ]


def others_of(card: Card, numbers: bool) -> list[object]:
    count = ARGUMENTS.get(card.name, 1 if card.name in ("eq", "ne", "lt", "le", "gt", "ge") else 0)
    if card.name in NUMBERS and (numbers or card.name not in ARGUMENTS):
        return NUMBERS[card.name]
    return [0] if count < 0 else [wg.rand(50, COUNT // 50) + 0.5 for _ in range(count)]


@pytest.mark.parametrize("numbers", [False, True])
@pytest.mark.parametrize("card", by_result(), ids=lambda card: card.name)
def test_a_large_write_gives_what_the_functional_form_gives(card: Card, numbers: bool) -> None:
    if numbers and card.name not in NUMBERS:
        return
    others = others_of(card, numbers)
    x = wg.rand(50, COUNT // 50) * 0.9 + (1 if card.name == "acosh" else 0)
    wanted = card(x, *others).to(x.dtype)
    whole = x.clone()
    version = whole._version
    assert card.in_place(whole, *others) is whole and whole._version == version + 1
    assert wg.equal(whole, wanted)
    for view in (x.clone().t().contiguous().t(), wg.stack([x, x], -1)[..., 0]):
        assert card.in_place(view, *others) is view
        wg.testing.assert_close(view, wanted)


@pytest.mark.parametrize("name", ["clamp_", "elu_", "leaky_relu_", "hardtanh_"])
def test_a_large_write_is_part_of_the_graph(name: str) -> None:
    x = wg.randn(COUNT, requires_grad=True)
    call = getattr(wg, name, None) or getattr(wg.nn.functional, name)
    plain = getattr(wg, name[:-1], None) or getattr(wg.nn.functional, name[:-1])
    numbers = (-0.5, 0.5) if name in ("clamp_", "hardtanh_") else ()
    (found,) = wg.autograd.grad(call(x * 1, *numbers).sum(), x)
    (wanted,) = wg.autograd.grad(plain(x * 1, *numbers).sum(), x)
    wg.testing.assert_close(found, wanted)
