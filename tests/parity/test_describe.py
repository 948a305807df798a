"""The comparison notices what may differ: it is the judge of all programs."""

from __future__ import annotations

import copy

import pytest

import wengert as wg
from tools.beside_torch import generate, programs
from tools.beside_torch.describe import describe, differences, equal, observe


def tensor():
    return describe(wg.tensor([1.0, 2.0], requires_grad=True) * 2)


def test_equal_tensors_do_not_differ():
    assert differences(tensor(), tensor()) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("tensor", [2.0, 4.1]),
        ("dtype", "torch.float64"),
        ("shape", [2, 1]),
        ("strides", [2]),
        ("requires_grad", False),
        ("grad_fn", "AddBackward0"),
        ("class", "Parameter"),
    ],
)
def test_every_property_of_a_tensor_is_compared(key, value):
    changed = copy.deepcopy(tensor())
    changed[key] = value
    assert len(differences(tensor(), changed)) == 1


def test_nan_equals_nan_and_rounding_is_forgiven():
    nan = float("nan")
    assert differences([nan, 1.0], [nan, 1.0 + 1e-9]) == []
    assert differences([nan], [1.0]) != []
    assert differences([1.0], [1.001]) != []


def test_numbers_of_different_kinds_differ():
    assert differences(1, 1.0) != []
    assert differences(True, 1) != []


def test_an_error_may_say_more_but_not_something_else():
    expected = {"raises": "TypeError", "says": "wrong thing."}
    assert differences(expected, {"raises": "TypeError", "says": "wrong thing; do another"}) == []
    assert differences(expected, {"raises": "TypeError", "says": "bad thing"}) != []
    assert differences(expected, {"raises": "ValueError", "says": "wrong thing."}) != []


def test_a_missing_error_and_an_unexpected_one_are_differences():
    assert differences({"result": 1}, {"raises": "ValueError", "says": ""}) != []
    assert differences({"raises": "ValueError", "says": ""}, {"result": 1}) != []


def test_what_a_program_prints_and_warns_is_part_of_its_answer():
    def program(torch):
        import warnings

        warnings.warn("careful", UserWarning, stacklevel=1)
        print("hello")

    assert observe(program, wg) == {"result": None, "printed": "hello\n", "warns": ["UserWarning"]}


def test_a_known_difference_needs_a_reason(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text('["a.*"]\nreason = ""\n')
    with pytest.raises(ValueError, match="has no reason"):
        programs.Known(path)


def test_an_infinite_value_equals_only_itself():
    inf = float("inf")
    assert equal(inf, inf, 1e-6)
    assert not equal(inf, 2.0, 1e-6)
    assert not equal(2.0, inf, 1e-6)
    assert not equal(inf, -inf, 1e-6)


def test_a_known_difference_explains_only_the_programs_and_lines_it_names(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text('["a.*"]\nonly = "strides"\nreason = "on purpose"\n')
    known = programs.Known(path)
    assert known.unexplained("a.one", ["result.strides: ...", "result.values: ..."]) == ["result.values: ..."]
    assert known.unexplained("b.one", ["result.strides: ..."]) == ["result.strides: ..."]


def test_a_known_difference_may_be_one_of_some_generated_programs(tmp_path):
    path = tmp_path / "known.toml"
    path.write_text('["a.*"]\nonly = "strides"\nprogram = "gather|sort"\nreason = "on purpose"\n')
    known = programs.Known(path)
    assert known.unexplained("a.one", [".strides"], "y = x.gather(0, i)") == []
    assert known.unexplained("a.one", [".strides"], "y = x * 2") == [".strides"]


@pytest.mark.parametrize("make", [generate.expression, generate.writes])
def test_a_seed_makes_one_program_and_other_seeds_others(make):
    assert make(3) == make(3)
    assert len({make(seed) for seed in range(20)}) == 20


@pytest.mark.parametrize("seed", range(10))
def test_a_generated_program_runs_or_is_refused(seed):
    for make in (generate.expression, generate.writes):
        answer = observe(generate.compile_program(make(seed)), wg)
        assert "result" in answer or answer["raises"] == "RuntimeError"
