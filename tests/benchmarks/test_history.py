"""The record of `make bench` by commit, and the limits that its figures are compared with."""

import json

import pytest

from benchmarks import history
from benchmarks.limits import Machine
from benchmarks.timing import Result

HEAD = {"versions": "wengert 1, torch 2", "build": "compiled", "threads": 2, "load": 0.1}


def result(name, ratio, share=None):
    return Result(name, None, {"wengert": 1.0}, {"torch": ratio}, share)


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "commit", lambda: "abcdef012")
    return tmp_path / "history.jsonl"


def test_a_run_is_appended_and_read_again(file):
    history.record(HEAD, [result("add", 1.23456, 0.5), Result("none", None)], file)
    history.record(HEAD, [result("add", 2.0), result("mul", 3.0, 0.25)], file)
    runs = history.read(file)
    assert [run["cases"] for run in runs] == [{"add": [1.235, 0.5]}, {"add": [2.0, None], "mul": [3.0, 0.25]}]
    assert [(each.name, each.ratios, each.share) for each in history.lines(runs)] == [
        ("add", [1.235, 2.0], None),
        ("mul", [3.0], 0.25),
    ]
    assert [each.name for each in history.lines(runs, "mu")] == ["mul"]


@pytest.mark.parametrize("word, other", [("processor", "another"), ("cores", -1), ("threads", 1), ("build", "pure")])
def test_runs_elsewhere_are_not_compared(file, word, other):
    history.record(HEAD, [result("add", 1.0)], file)
    first = json.loads(file.read_text())
    file.write_text(json.dumps({**first, word: other}) + "\n" + file.read_text())
    assert [run[word] for run in history.read(file)] == [first[word]]


def test_without_a_record_there_is_nothing_to_show(tmp_path):
    assert history.read(tmp_path / "none.jsonl") == [] and history.lines([]) == []


def test_the_plot_is_a_picture(file, tmp_path):
    pytest.importorskip("matplotlib", reason="an optional extra")
    history.record(HEAD, [result("add", 1.0)], file)
    history.record(HEAD, [result("add", 2.0), result("mul", 2.0)], file)
    history.plot(history.read(file), "", str(tmp_path / "plot.png"))
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_the_share_is_that_of_the_slower_limit(monkeypatch):
    machine = Machine(1)
    monkeypatch.setattr(machine, "moving", lambda moved: moved * 1e-3)
    monkeypatch.setattr(machine, "rate", lambda: 1e3)
    assert machine.share(2.0, 1000, 0) == 0.5
    assert machine.share(2.0, 1000, 1500) == 0.75
    assert machine.share(2.0, 0, 0) is None


@pytest.mark.parametrize("threads", [1, 2])
def test_limits_are_measured_once_for_sizes_alike(threads):
    machine = Machine(threads)
    once = machine.moving(2 * 4096)
    assert once > 0 and machine.moving(2 * 4096) == once
    assert machine.moving(3 * 4096) == pytest.approx(1.5 * once)
