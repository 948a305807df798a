"""Explanations of compiled functions: a text, data, and times of entries."""

from __future__ import annotations

import copy
import json
import warnings
from typing import Any

import pytest
from wengert.compiler.explaining import KINDS

import wengert as wg
from wengert import _kernels as kernels

NATIVE = kernels.native is not None


def whole_step() -> tuple[Any, Any, wg.Tensor]:
    """Return a training step, the same compiled, and the weight of the latter."""
    weights = [wg.full((4, 4), 0.1, requires_grad=True) for _ in range(2)]

    def step_of(weight: wg.Tensor) -> Any:
        optimiser = wg.optim.SGD([weight], lr=0.01)

        def step(x: wg.Tensor) -> wg.Tensor:
            optimiser.zero_grad()
            loss = ((x @ weight).sigmoid() + wg.arange(4.0)).sum()
            loss.backward()
            optimiser.step()
            return loss.detach()

        return step

    return step_of(weights[0]), wg.compile(step_of(weights[1]), replay=True, fullgraph=True), weights[1]


def called(compiled: Any, count: int = 8) -> Any:
    for number in range(count):
        compiled(wg.full((2, 4), 0.1 * number))
    return wg.compiler.explain(compiled)


def test_the_text_is_a_string_with_data() -> None:
    explained = called(whole_step()[1])
    assert isinstance(explained, str) and explained.recorded == 1 and explained.name.endswith("step")
    (known,) = explained.lists
    assert sum(known.kinds.values()) == len(known.entries) and set(known.kinds) <= set(KINDS.values())
    assert known.calls >= 4 and known.seconds is None and "sigmoid" in [entry.name for entry in known.entries]
    assert all(f"{at:4} {entry.kind}: {entry.name}" in explained for at, entry in enumerate(known.entries))
    plain = explained.to_dict()
    assert json.loads(json.dumps(plain))["signatures"][0]["lists"][0]["call"]["calls"] == known.calls


def test_entries_name_the_line_of_the_program() -> None:
    entries = called(whole_step()[1]).lists[0].entries
    mm = next(entry for entry in entries if entry.name == "mm")
    assert mm.file == __file__ and "sigmoid" in mm.code and mm.bytes == 32
    assert {"loss.backward()", "optimiser.step()"} <= {entry.code for entry in entries}


@pytest.mark.skipif(not NATIVE, reason="entries are run by Python without the native kernels")
def test_entries_that_python_runs_say_why() -> None:
    explained = called(whole_step()[1])
    by_python = {entry.kind: entry.by_python for entry in explained.lists[0].entries if entry.by_python}
    assert by_python["function of Python"] == "it is Python code"
    assert by_python["gradients of leaves"] == "tensors are created"
    assert "run by Python: it is Python code" in explained and "call" not in by_python


def test_the_memory_of_a_list_is_counted() -> None:
    known = called(whole_step()[1], 20).lists[0]
    assert known.constant_bytes >= wg.arange(4.0).numel() * 4
    sizes = [entry.bytes for entry in known.entries]
    assert (0 < known.spare_bytes <= 2 * sum(sizes)) if NATIVE else known.spare_bytes == 0
    assert f"{known.constant_bytes + known.spare_bytes:,} bytes kept" in called(whole_step()[1], 20)


def test_reasons_of_eager_calls_name_the_line() -> None:
    def function(x: wg.Tensor) -> Any:
        return x.numpy().sum()

    compiled = wg.compile(function, replay=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(4):
            compiled(wg.ones(2))
    explained = wg.compiler.explain(compiled)
    (reason,) = explained.signatures[0].eager
    assert "return x.numpy().sum()" in reason and f"called eagerly: {reason}" in explained and not explained.lists


def test_times_are_measured_in_later_calls_and_change_no_result() -> None:
    eager, compiled, weight = whole_step()
    for number in range(40):
        if number == 6:
            assert wg.compiler.explain(compiled, times=True).lists[0].seconds is None
        x = wg.full((2, 4), 0.1 * number)
        assert compiled(x).equal(eager(x))
    explained = wg.compiler.explain(compiled)
    (known,) = explained.lists
    assert all(entry.seconds is not None and entry.seconds >= 0 for entry in known.entries)
    assert known.seconds == pytest.approx(sum(entry.seconds for entry in known.entries)) and "µs for all" in explained
    version = weight._version
    compiled(wg.ones(2, 4))
    assert weight._version == version + 1  # writes are counted
    wg.compiler.explain(compiled, times=False)
    assert called(compiled).lists[0].seconds is None


def test_backward_lists_are_measured_too() -> None:
    compiled = wg.compile(lambda x, w: ((x @ w).sin() @ w).sum(), replay=True, fullgraph=True)
    w = wg.randn(4, 4, requires_grad=True)

    def gradient(number: int, function: Any) -> Any:
        x = wg.full((3, 4), 0.1 * number)
        return wg.autograd.grad(function(x, w), w)[0]

    for number in range(30):
        if number == 10:
            wg.compiler.explain(compiled, times=True)
        assert gradient(number, compiled).equal(gradient(number, compiled.function))
    explained = wg.compiler.explain(compiled)
    (part,) = explained.signatures[0].lists[0].parts
    assert part.nodes == ("SumBackward0", "MmBackward0", "SinBackward0", "MmBackward0") and part.ordinary == ""
    assert [known.seconds is not None for known in explained.lists] == [True, True]


def test_a_measured_replay_that_stops_is_called_eagerly() -> None:
    compiled = wg.compile(lambda x: x + 1 if float(x.sum()) > 0 else x - 1, replay=True)
    for _ in range(6):
        compiled(wg.ones(2))
    wg.compiler.explain(compiled, times=True)
    assert compiled(wg.ones(2)).tolist() == [2, 2] and compiled(-wg.ones(2)).tolist() == [-2, -2]


def test_the_page_is_saved_and_shown(tmp_path: Any) -> None:
    explained = called(whole_step()[1])
    path = explained.save(tmp_path / "lists.html")
    assert "sigmoid" in path.read_text(encoding="utf-8") and explained._repr_html_().startswith("<iframe sandbox")
    with pytest.raises(ValueError, match=r"the suffix must be .html, but got '.txt'"):
        explained.save(tmp_path / "lists.txt")
    assert copy.copy(explained).lists == explained.lists


def test_arrays_in_sequences_of_arguments_are_counted() -> None:
    def function(x: wg.Tensor) -> Any:
        return wg.cat([x[0], wg.tensor([1.0, 2.0])])

    assert called(wg.compile(function, replay=True)).lists[0].constant_bytes == 8
