"""The comparison of strides finds planted differences, and its layouts are what their names say."""

from __future__ import annotations

import pytest

import wengert as wg
from tools.beside_torch.known import Known
from tools.beside_torch.layouts import LAYOUTS, LayoutRunner, exchanged
from tools.beside_torch.opinfo import Failure, Outcome


def differing(first, second):
    return LayoutRunner.differing(None, [first], [second], "result", None)[0]


def test_equal_strides_differ_in_nothing():
    assert differing(wg.ones(2, 3), wg.ones(2, 3)) == ""


def test_other_strides_of_the_same_values_are_found():
    assert differing(wg.ones(3, 2).t(), wg.ones(2, 3)) == "strides"
    assert differing(wg.ones(1, 3), wg.ones(1, 9)[:, :3]) == "idle strides"
    assert differing(wg.ones(2, 3), wg.ones(3, 2)) == "shape"


@pytest.mark.parametrize("layout", sorted(LAYOUTS))
def test_a_layout_keeps_shape_and_dtype(layout):
    x, y = wg.arange(24.0).reshape(2, 3, 4), wg.arange(6).reshape(2, 3, 1)
    changed = exchanged((x, [y, x]), LAYOUTS[layout], {})
    assert changed[0].shape == x.shape
    assert changed[1][0].shape == y.shape
    assert changed[0] is changed[1][1]
    assert changed[1][0].tolist() == y.tolist()
    if "expanded" not in layout and layout != "spread":
        assert changed[0].tolist() == x.tolist()


def test_every_layout_but_the_first_changes_some_strides():
    x, y = wg.arange(24.0).reshape(2, 3, 4), wg.arange(24.0).reshape(2, 3, 1, 4)
    for layout, change in LAYOUTS.items():
        changed = exchanged((x, y), change, {})
        strides = changed[0].stride(), changed[1].stride()
        assert (strides == (x.stride(), y.stride())) == (layout == "as it is")


def test_known_differences_are_counted_as_skipped_and_others_stay(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text(
        "[mean]\nkinds = ['gradient strides']\nsamples = 'dim=1'\nreason = 'none'\n"
        "['max*']\nkinds = ['raises']\nreason = 'none'\n"
    )
    known, outcome = Known(path), Outcome("mean")
    outcome.failures = [
        Failure(kind, sample, "", 1) for kind in ("strides", "gradient strides") for sample in ("dim=0", "dim=1")
    ]
    known.remove_from(outcome)
    assert [(each.kind, each.sample) for each in outcome.failures] == [
        ("strides", "dim=0"),
        ("strides", "dim=1"),
        ("gradient strides", "dim=0"),
    ]
    assert outcome.skipped == 1
    assert known.unused == ["max*"]


def test_a_known_difference_needs_a_reason(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text("[mean]\nkinds = ['strides']\n")
    with pytest.raises(ValueError, match="mean has no reason"):
        Known(path)


def test_a_gradient_that_only_one_library_refuses_is_found():
    runner = LayoutRunner(wg, wg)
    x, y = wg.ones(2, requires_grad=True), wg.ones(2, requires_grad=True)
    product, wrong = x * 2, y * 2
    wrong.register_hook(lambda grad: 1 / 0)
    assert runner.gradients(product, wrong, [x], [y])[0] == "gradient raises"
    assert runner.gradients(x * 2, y * 2, [x], [y]) == ("", "")


def test_an_entry_may_ask_for_words_of_the_message(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text(
        "[[mean]]\nkinds = ['values']\nsays = 'third'\nreason = 'none'\n"
        "[[mean]]\nkinds = ['values']\nsays = 'second'\nreason = 'none'\n"
    )
    known, outcome = Known(path), Outcome("mean")
    outcome.failures = [Failure("values", "", message, 1) for message in ("the first", "the second")]
    known.remove_from(outcome)
    assert [each.message for each in outcome.failures] == ["the first"]
    assert known.unused == ["mean"]
