"""A small, fixed share of each hunt, and planted defects that each of them finds."""

from __future__ import annotations

from itertools import islice

import pytest

import wengert as wg
from tools.beside_torch.generate import compile_program
from tools.beside_torch.programs import Known
from tools.beside_torch.views import views
from tools.hunt import __main__ as driver, allocations, arguments, beside_torch, by_hand, files, forked, hostile, seeds

LONG = 600.0
LIMITS = forked.Limits(seconds=60.0, memory=1 << 30, tries=100)


def share(hunt, texts):
    """The findings of a fixed number of tries that are not known to be somebody else's."""
    tries, found = forked.sift(texts, hunt.attempt, LONG, LIMITS)
    assert tries == len(texts)
    return [each for each in found if Known(driver.KNOWN).unexplained(hunt.__name__.rpartition(".")[2], [each])]


# ---- arguments -------------------------------------------------------------------------------------------------------


def test_hostile_arguments_break_nothing():
    assert share(arguments, list(islice(arguments.programs(1), 400))) == []


def test_the_same_seed_gives_the_same_arguments():
    first, again, other = (list(islice(arguments.programs(seed), 20)) for seed in (3, 3, 4))
    assert first == again
    assert first != other


@pytest.mark.filterwarnings("ignore")  # a number of a seed may be what is warned of
def test_seeds_are_programs_that_run():
    names = {name: vars(hostile)[name] for name in hostile.__all__}
    plain = [text for text in seeds.from_cards() if "out=" not in text and "_(" not in text.splitlines()[-1]]
    refused = []
    for text in plain[::60]:
        try:
            exec(text, dict(names))
        except (
            RuntimeError,
            ValueError,
            TypeError,
            AssertionError,
        ):  # the numbers of a seed are others than a sample's
            refused.append(text)
    assert len(refused) <= len(plain[::60]) // 10


def test_there_are_seeds_for_every_operator():
    texts = "\n".join([*seeds.from_cards(), *by_hand.CALLS])
    missing = [name for name in hostile.cards if f".{name}(" not in texts and f"[{name!r}]" not in texts]
    assert missing == []


PLANTED = {
    "an internal error": ("internal AttributeError", lambda x: x._array_.nothing),
    "memory that is asked for in vain": ("asks for memory", lambda x: raise_(MemoryError())),
}


def raise_(error):
    raise error


@pytest.mark.parametrize("kind", sorted(PLANTED))
def test_a_planted_defect_is_found(kind, monkeypatch):
    headline, body = PLANTED[kind]
    code = compile("def planted(x): return body(x)", "/src/wengert/_core/planted.py", "exec")
    names = {"body": body}
    exec(code, names)
    monkeypatch.setattr(wg, "planted", names["planted"], raising=False)
    assert arguments.attempt("x = wg.ones(2)\nwg.planted(x)").startswith(headline)


def test_a_refused_call_that_writes_is_found(monkeypatch):
    def careless(x):
        x.mul_(2)
        raise ValueError("no")

    monkeypatch.setattr(wg, "planted", careless, raising=False)
    assert (
        arguments.attempt("x = wg.ones(2)\nwg.planted(x)")
        == "refused (ValueError: no) but changed version of x from 0 to 1"
    )


def test_a_refused_call_that_leaves_a_mode_is_found(monkeypatch):
    def careless():
        wg.set_grad_enabled(False)
        raise ValueError("no")

    monkeypatch.setattr(wg, "planted", careless, raising=False)
    assert arguments.attempt("wg.planted()").startswith("a refused call left modes changed (ValueError)")
    assert wg.is_grad_enabled()


def test_what_a_program_itself_does_wrong_is_no_finding():
    for text in ("(3).nothing()", "wg.ones(2).reshape(5)", "wg.zeros(2**62)", "wg.ones(rude('__index__'))"):
        assert arguments.attempt(text) is None


# ---- files -----------------------------------------------------------------------------------------------------------


def test_damaged_files_are_refused_as_documented():
    assert share(files, [f"mutated({at})" for at in range(100)]) == []
    assert share(files, [f"loaded({at})" for at in range(100)]) == []
    assert share(files, [f"amplified({at})" for at in range(50)]) == []


def test_full_disks_leave_the_old_file_whole_and_nothing_beside_it():
    assert share(files, [f"full({at})" for at in range(20)]) == []


def test_killed_saves_leave_the_old_file_whole_and_nothing_beside_it():
    assert share(files, [f"killed({at})" for at in range(6)]) == []


def test_a_loader_that_lets_damage_through_is_found(monkeypatch):
    monkeypatch.setattr(files, "load_file", lambda path: raise_(KeyError("shape")))
    assert files.mutated(1) == "load_file raises KeyError for a damaged file: 'shape'"


def test_a_load_that_raises_something_else_is_found(monkeypatch):
    monkeypatch.setattr(files.wg, "load", lambda file: raise_(KeyError("shape")))
    for function in (files.loaded, files.amplified):
        assert function(1) == "load raises KeyError for a damaged file: 'shape'"


def test_a_save_that_leaves_a_part_is_found(monkeypatch):
    def careless(tensors, path, metadata=None):
        (path.parent / "left").write_bytes(b"")
        return save(tensors, path, metadata)

    save = files.save_file
    monkeypatch.setattr(files, "save_file", careless)
    assert "left" in files.full(1)


# ---- allocations -----------------------------------------------------------------------------------------------------


def test_after_a_failed_allocation_all_is_at_rest():
    texts = [f"short({name!r}, {room} << 18)" for name in allocations.WITHOUT_PRODUCTS for room in (0, 3, 11)]
    if allocations.can_fail():
        texts += [f"fails({name!r}, {at})" for name in ("arithmetic", "hooks") for at in (3, 40, 111, 240)]
    assert share(allocations, texts) == []


def test_a_program_that_swallows_a_failed_allocation_is_found(monkeypatch):
    answers = iter([[wg.ones(2)], [wg.zeros(2)]])
    monkeypatch.setitem(allocations.PROGRAMS, "planted", lambda count: next(answers))
    found = allocations.judged("planted", 2, lambda: None, lambda: None)
    assert found == "a failed allocation in planted() is swallowed, and the values are wrong"


# ---- programs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(30))
def test_a_random_program_of_views_does_the_same_each_time(seed):
    text = views(seed)
    assert text == views(seed)
    assert beside_torch.compare(f"# generated.views_{seed}\n{text}", wg, Known()) is None


def test_random_programs_of_views_mostly_do_something():
    steps = [
        step["list"]
        for seed in range(40)
        for step in beside_torch.observe(compile_program(views(seed)), wg)["result"]["list"]
    ]
    assert sum(error is None for _, _, error, _ in steps) > len(steps) / 2


def test_the_first_step_that_differs_is_told():
    program = compile_program(views(3))
    one, other = (beside_torch.observe(program, wg) for _ in range(2))
    assert beside_torch.first_difference(one, other) == []
    step = other["result"]["list"][2]["list"]
    step[3]["dict"][0][1]["list"][3] += 1
    assert beside_torch.first_difference(one, other)[0].startswith(f"{step[0]}: writes of x")


# ---- the driver ------------------------------------------------------------------------------------------------------


def test_the_table_gives_tries_and_findings():
    outcomes = [
        driver.Outcome("files", "compiled", 1.0, 1234, ["a"]),
        driver.Outcome("beside_torch", "compiled", left_out="no torch"),
    ]
    lines = driver.table(outcomes).splitlines()
    assert lines[1].split() == ["files", "compiled", "1", "1,234", "1", "0"]
    assert lines[2].endswith("no torch")


def test_a_hunt_runs_in_a_process_of_its_own(monkeypatch):
    monkeypatch.setattr("sys.argv", ["hunt", "--seed", "1"])
    outcome = driver.start("files", "interpreted", 1.0, driver.arguments())
    assert outcome.tries > 0
    assert not [each for each in outcome.findings if each.startswith("the hunt itself")]


def test_a_hunt_that_is_not_there_is_told(monkeypatch):
    monkeypatch.setattr("sys.argv", ["hunt", "--seed", "1"])
    assert driver.start("nothing", "compiled", 1.0, driver.arguments()).left_out == "there is no tools/hunt/nothing.py"


def test_a_hunt_that_ends_badly_is_a_finding(monkeypatch):
    monkeypatch.setattr("sys.argv", ["hunt", "--seed", "1"])
    monkeypatch.setattr("sys.executable", "false")
    (finding,) = driver.start("files", "interpreted", 1.0, driver.arguments()).findings
    assert finding.startswith("the hunt itself ended with status 1")
