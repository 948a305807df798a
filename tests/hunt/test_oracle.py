"""Random programs in all modes: a fixed share of them, and faults of every kind that are planted and found."""

from __future__ import annotations

import numpy as np
import pytest

import wengert as wg
from tools.hunt import forked, oracle
from tools.hunt.oracle import calls, drafts, judging, modes, programs, shrink
from wengert._core.cards.card import COMPLEXES, FLOATS, REGISTRY, Array, op
from wengert._core.tensor.batches import is_batched

pytestmark = pytest.mark.filterwarnings("ignore")  # of calls that programs make

FIXED = 300
"""How many programs a run of the tests judges."""


@pytest.mark.parametrize("part", range(6))
def test_all_modes_agree_on_random_programs(part):
    texts = [f"program({at})" for at in range(part, FIXED, 6)]
    assert forked.sift(texts, oracle.attempt, 1200.0, oracle.LIMITS) == (len(texts), [])


def test_the_same_seed_gives_the_same_program():
    assert programs.program(5) == programs.program(5)
    assert programs.program(5) != programs.program(6)


def test_programs_have_buffers_writes_loops_and_operators_of_all_kinds():
    texts = "\n".join(programs.program(at) for at in range(60))
    for piece in (
        "wg.zeros(",
        "new_zeros(",
        ".clone()",
        " += ",
        "_(",
        "for ",
        "wg.where(",
        "complex128",
        "np.array",
        "] = ",
    ):
        assert piece in texts, piece


def test_nearly_all_operators_that_have_a_derivative_and_a_name_are_called():
    assert len(calls.functions()) > 450
    assert len(calls.in_place()) > 90


# ---- what earlier programs found -------------------------------------------------------------------------------------

FOUND = {
    "a buffer that was made inside, and is written to twice": """
    v1 = wg.zeros((3,), dtype=wg.float64)
    for _ in range(3):
        v1 += 0.1 * (x.sum() - v1)
    return v1""",
    "a part of a constant": """
    v1 = wg.ones((2, 3), dtype=wg.float64).repeat_interleave(2)
    v1[..., 0].mul_(x.sum() * x.sum())
    return v1""",
    "a result that is written to beside its operand": """
    v1 = x + 1
    v1 *= 3
    return v1 + x""",
    "a buffer that is its own operand": """
    v1 = wg.empty((2, 3), dtype=wg.float64).fill_(x.sum())
    v1[1:].addcmul_(v1[:1], v1[1:])
    return v1""",
    "a view of a sum": """
    v1 = x + 0
    v1.unsqueeze(-1)[None].lerp_(x.sum() * x.sum(), 2.0)
    return v1""",
    "an expanded tensor": """
    v1 = (x.sum() * 2).expand(3)
    v1.zero_()
    return v1 * x.sum()""",
    "a view of the same shape": """
    v1 = x - 2.0
    v1.expand_as(v1).mul_(x.sum())
    return v1 * x""",
    "an operand of itself": """
    v1 = x.scatter_add(0, wg.zeros(x.shape, dtype=wg.int64), x)
    v1.atan2_((v1 + 2.0) * x)
    return v1""",
    "a gradient that is one of a stack": """
    v1 = x * x
    v2 = wg.stack([x.sum(), x.sum(), x.sum()])
    v1[:] += v2.flatten()[2]
    return v1.sin() + x""",
    "a gradient that is a real part": """
    v1 = x * x * (1 + 2j)
    v1.masked_fill_(wg.zeros(x.shape, dtype=wg.bool), x.sum())
    return v1.real - v1.imag""",
    "a spectrum of one number": """
    v1 = wg.fft.rfft(x.sum().expand(2, 4), norm="ortho")
    v1 = v1 * v1
    return v1.real - v1.imag""",
    "a part of complex numbers that are written to": """
    v1 = (wg.tensor([[2 + 2j, 1 - 1j]], dtype=wg.complex128) * x.sum()).reshape(2)
    v2 = v1.imag
    v1.pow_(2)
    return v2""",
    "pairs of a product": """
    v1 = wg.view_as_complex(wg.outer(x.flatten(), wg.tensor([1.0, 2.0], dtype=wg.float64)))
    return v1.real - v1.imag""",
    "pairs of sums": """
    v1 = wg.view_as_complex(wg.ones(3, 2, dtype=wg.float64) + x.sum())
    return v1.real - v1.imag""",
    "an expanded tensor under another shape": """
    v1 = x.expand(2, *x.shape).reshape(-1)
    return v1 * 2.0""",
    "a contiguous tensor that is written to": """
    v1 = (x + 2.0).flatten()
    v1.contiguous().mul_(x.sum())
    return v1""",
    "complex numbers mixed by a real one": """
    v1 = wg.complex(x, 2.0 * x)
    v1.lerp_(v1 * 2.0, x.sum())
    return v1.real - v1.imag""",
    "a logarithm of odds outside of its limits": """
    v1 = (x * 0.0).logit(eps=0.3)
    return v1 * x""",
    "no complex numbers behind real ones": """
    v1 = wg.cat([x.flatten(), wg.zeros(0, dtype=wg.complex128)])
    return v1.real - v1.imag""",
    "real numbers filled by a complex one": """
    return wg.fill(x, (2 - 0.5j) * x.sum())""",
    "powers of complex zeros": """
    v1 = wg.zeros((2, 3), dtype=wg.complex128)
    v1[..., 0].fill_(x.sum())
    v2 = wg.linalg.vander(v1)
    return v2.real - v2.imag""",
    "a copy that lies as its columns do": """
    v1 = x.clone()
    v1.permute(*range(x.ndim - 1, -1, -1)).reshape(-1).copy_(v1.reshape(-1).sin())
    return v1 + x""",
    "a complex number that is real": """
    v1 = x * 2.0
    v1.masked_fill_(v1 > 1.0, (x.flatten()[:0] * 1j).sum())
    return v1""",
}
INPUTS = (
    "wg.tensor([0.3, -0.7, 1.1], dtype=wg.float64)",
    "wg.tensor([0.6, 1.3, -0.4], dtype=wg.float64).expand(2, 3)",
    "wg.tensor([[0.3, -0.7], [0.4, 1.2], [0.9, -1.4]], dtype=wg.float64).t()",
    "wg.zeros(0, dtype=wg.float64)",
)


def text_of(body, point=INPUTS[0]):
    return f"x = {point}\ndef f(x):{body}"


@pytest.mark.parametrize("point", INPUTS)
@pytest.mark.parametrize("name", sorted(FOUND))
def test_a_program_that_was_found_agrees_in_all_modes(name, point):
    assert judging.judge(text_of(FOUND[name], point), modes.MODES).complaints == {}


# ---- what is planted -------------------------------------------------------------------------------------------------


@pytest.fixture
def plant(monkeypatch):
    """Declares an operator that programs call as `planted(x)`, and forgets it after the test."""

    def declare(body=lambda self: self * self, **rules):
        def planted(self: Array):
            """The square."""
            return body(self)

        card = op(name="planted", public="neither", dtypes=FLOATS | COMPLEXES)(planted)
        card.vjp("self")(rules.get("vjp", lambda grad, self: grad * self * 2))
        card.jvp("self")(rules.get("jvp", lambda tangent, self: tangent * self * 2))
        card.batched(rules.get("batched", lambda self: card.call((self,))))
        monkeypatch.setitem(drafts.NAMES, "planted", card)

    yield declare
    REGISTRY.pop("planted", None)


def lost_in_batches(tangent, self):
    return None if is_batched(tangent) else tangent * self * 2


def written_to(tangent, self):
    return tangent.mul_(self) * 2


def once_only(grad, self):
    return grad * self.detach() * 2


PROGRAM = """
    v1 = x.sin() + 1
    v2 = v1.clone()
    v2[1:] *= 0.5
    v3 = planted(v2)
    v4 = v3 + v1.exp() + v2
    return v4"""


def complaints(*names):
    return judging.judge(text_of(PROGRAM), names or modes.MODES).complaints


def test_a_right_operator_passes(plant):
    plant()
    assert complaints() == {}


@pytest.mark.parametrize(
    ("rules", "mode"),
    [
        ({"vjp": lambda grad, self: grad * self * 3}, "forward"),
        ({"jvp": lambda tangent, self: tangent * self}, "forward"),
        ({"jvp": lost_in_batches}, "forward_batched"),
        ({"jvp": written_to}, "along"),
        ({"vjp": once_only}, "forward_over_forward"),
        ({"batched": lambda self: self * self * 1.5}, "batch"),
    ],
    ids=["reverse", "forward", "lost in batches", "written to", "second derivatives", "batches"],
)
def test_a_wrong_rule_is_found(plant, rules, mode):
    plant(**rules)
    assert mode in complaints()


def test_rules_that_are_wrong_alike_are_found_by_differences(plant):
    plant(vjp=lambda grad, self: grad * self, jvp=lambda tangent, self: tangent * self)
    assert "differ in a first derivative" in complaints("reverse", "forward")["reverse and differences"]
    plant_second = {"vjp": once_only, "jvp": lambda tangent, self: tangent * self.detach() * 2}
    REGISTRY.pop("planted")
    plant(**plant_second)
    assert "differ in a second derivative" in complaints("twice_backward")["twice_backward and differences"]


def test_a_refusal_that_no_entry_explains_is_found(plant):
    def refuse(tangent, self):
        raise RuntimeError("vmap: inplace arithmetic(self, *extra_args) is not possible")

    plant(jvp=refuse)
    assert complaints("forward_batched")["forward_batched"].startswith("raises RuntimeError: vmap: inplace")


@pytest.mark.parametrize("name", ["x", "weights", "way", "batch"])
def test_a_mode_that_writes_to_what_it_is_given_is_found(monkeypatch, name):
    def run(task):
        getattr(task, name).mul_(1)
        return {}

    careless = modes.Mode("careless", run, False, False, False)
    monkeypatch.setitem(modes.MODES, "careless", careless)
    text = text_of("\n    return x.sum()", "wg.tensor(0.5, dtype=wg.float64)")
    assert judging.judge(text, ["careless"]).complaints["careless"].startswith("changes the ")


def test_a_gradient_that_shares_memory_is_found():
    x = wg.ones(2)
    with pytest.raises(AssertionError, match="the gradient shares memory with the input"):
        modes.apart("the gradient", x[:1], {"the input": x})


@pytest.mark.parametrize(("body", "kinks"), [("relu()", 2), ("relu() ** 2", 1)])
def test_a_kink_is_no_fault(body, kinks):
    text = text_of(f"\n    return (x - wg.tensor([0.3, 5.0, -5.0])).{body}")
    found = judging.judge(text, ["reverse", "twice_backward"])
    assert (found.complaints, found.kinks) == ({}, kinks)


def rounded(grad, self):
    large = 1e9 * grad * self.sin()
    return grad * self * 2 + (large + large / 3 - large * (4 / 3))


def test_rounding_of_large_numbers_that_cancel_is_no_fault(plant):
    plant(vjp=rounded)
    found = judging.judge(text_of("\n    return planted(x * 0.9)"), ["reverse", "forward"])
    assert (found.complaints, found.rounded) == ({}, 1)


def test_a_small_fault_that_is_no_rounding_is_found(plant):
    plant(vjp=lambda grad, self: grad * self * (2 + 1e-6))
    assert "forward" in complaints("reverse", "forward")


def test_what_may_be_refused_is_refused_by_the_modes_that_may():
    text = text_of("\n    v1 = x.exp()\n    v1.mul_(2)\n    return v1")
    found = judging.judge(text, modes.MODES)
    assert found.complaints == {}
    assert sum(found.refused.values()) == sum(each.backward for each in modes.MODES.values())


def test_members_with_an_odd_number_of_elements_have_no_view_of_pairs():
    found = judging.judge(text_of("\n    wg.view_as_complex(x[:2])\n    return x"), modes.MODES)
    assert found.complaints == {}
    assert 0 < sum(found.refused.values()) < len(modes.MODES)


# ---- programs are made shorter ---------------------------------------------------------------------------------------


def test_a_program_is_shortened_to_what_shows_the_fault(plant):
    plant(jvp=lambda tangent, self: tangent * self)
    source = text_of(PROGRAM)
    found = oracle.complaint(source, judging.judge(source))
    headline, first, _, *body = found.splitlines()
    assert headline.startswith("forward: ")
    assert first == "x = wg.tensor(0.7, dtype=wg.float64)"
    assert [line for line in body if line.startswith("    ")] == ["    return planted(x)"]


def test_parts_of_a_program_are_put_together_again():
    for seed in range(20):
        text = programs.program(seed)
        assert shrink.joined(*shrink.parts(text)) == text


# ---- statements are tried before they are taken ----------------------------------------------------------------------


def draft(point=INPUTS[0]):
    import random

    return drafts.Draft(random.Random(0), point)


@pytest.mark.parametrize(
    "statement",
    [
        "v1 = x.nothing()",
        "v1 = zero.sqrt()",
        "v1 = zero.abs()",
        "v1 = wg.where(zero > 0, x, -x)",
        "v1 = x / (x - x)",
        "v1 = x * 1e9",
        "v1 = x.to(wg.float32)",
        "v1 = wg.rand(3, dtype=wg.float64)",
        "x.mul_(2)\nv1 = x",
        "v1 = x > 0",
        "v1 = x.expand(30, 3)",
    ],
)
def test_a_statement_that_is_no_good_is_not_taken(statement):
    made = draft()
    assert made.add("v0 = x - x", "v0")
    assert not made.add(statement.replace("zero", "v0"), "v1")
    assert made.lines == ["v0 = x - x"]
    assert made.variables() == ["x", "v0"]
    assert made.value("x")._version == 0


def test_a_write_that_is_refused_leaves_no_trace():
    made = draft()
    assert made.add("v1 = x * 1", "v1")
    before = made.value("v1").numpy().copy()
    assert not made.add("v1[0] = 2.0\nv1[1] = 1e9", "v1", write=True)
    assert not made.add("v1.mul_(1e9)", "v1", write=True)
    np.testing.assert_array_equal(made.value("v1").numpy(), before)
    assert made.add("v1 *= 2", "v1", write=True)
    assert made.lines == ["v1 = x * 1", "v1 *= 2"]


# ---- the figures -----------------------------------------------------------------------------------------------------


def test_a_hunt_gives_its_figures():
    count, found, figures = oracle.hunt(4.0, 1)
    assert found == []
    assert figures.startswith(f"{count:,d} programs, ")
    assert " operators, " in figures
