"""What `import wengert` loads at once, and what comes when it is first asked for; each test in a Python of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from typing import Any

import pytest

from wengert._start import names

LATE = (
    *("cmath", "dataclasses", "threading", "wengert._tensor.text"),
    *(
        f"wengert.autograd.{module}"
        for module in ("forward_ad", "function", "functional", "graph", "variables", "watching")
    ),
    *(f"wengert.autograd.gradcheck.{name}" for name in ("checks", "errors", "rule")),
    *(
        f"wengert.{layer}"
        for layer in (
            "compat",
            "debugging",
            "demo",
            "explain",
            "func",
            "info",
            "io",
            "nn",
            "optim",
            "scipy",
            "testing",
            "utils",
            "vision",
            "viz",
        )
    ),
    *(f"wengert.{module}" for module in (*names.OPERATORS, *names.ON_TENSOR)),
)
FIRST = "import json, numpy, sys, gc\ndef show(value): print(json.dumps(value))\n"


def shown(code: str) -> Any:
    """What `code` shows in a Python of its own."""
    code = FIRST + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", code], env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_what_few_programs_use_is_not_loaded():
    numpy_alone = set(shown("show(list(sys.modules))"))
    loaded = set(shown("import wengert; show(list(sys.modules))"))
    assert not loaded.intersection(LATE) - numpy_alone


def test_no_collection_runs_because_of_the_import():
    code = """
        runs = []
        def note(phase, info):
            if "wengert._core" in sys.modules:  # before that, a few objects have been made
                runs.append(info["generation"])
        gc.collect()
        gc.callbacks.append(note)
        import wengert
        kept = [[] for _ in range(gc.get_threshold()[0] // 2)]
        gc.callbacks.remove(note)
        show(runs)
    """
    assert shown(code) == []


@pytest.mark.parametrize("frozen", [False, True])
def test_after_the_import_garbage_is_found_and_what_was_set_aside_is_left_there(frozen):
    code = f"""
        import weakref
        class Thing: pass
        thing = Thing(); thing.itself = thing; seen = weakref.ref(thing)
        if {frozen}:
            gc.freeze()
        gc.disable(); del thing; gc.enable()
        before = gc.get_freeze_count()
        import wengert
        kept = gc.get_freeze_count() == before or not {frozen}  # some are Python's own in 3.12
        gc.collect()
        show([kept, seen() is None])
    """
    assert shown(code) == [True, not frozen]


@pytest.mark.parametrize("before", ["enable", "disable"])
@pytest.mark.parametrize("fails", [False, True])
def test_the_collector_is_as_it_was_afterwards(before, fails):
    code = f"""
        gc.{before}()
        if {fails}:
            sys.modules["wengert.autograd.variable"] = None
        try:
            import wengert
            failed = False
        except ImportError:
            failed = True
        show([failed, gc.isenabled()])
    """
    assert shown(code) == [fails, before == "enable"]


def test_every_name_of_the_package_can_be_asked_for():
    code = """
        import wengert, wengert.autograd
        listed = dir(wengert)
        missing = [name for name in listed if not hasattr(wengert, name)]
        missing += [name for name in wengert.autograd.__all__ if not hasattr(wengert.autograd, name)]
        missing += [name for name in listed if name[0] == "_" or name in ("TYPE_CHECKING", "annotations")]
        show([missing, set(listed) >= {"cat", "conv2d", "nn", "set_printoptions", "tensor", "Tensor"}])
    """
    assert shown(code) == [[], True]


@pytest.mark.parametrize(
    "asking",
    [
        "from wengert import conv2d as found",
        "from wengert import *; found = conv2d; cat, inf, Tensor, autograd, int64",
        "import wengert; found = wengert.conv2d",
        "import wengert; found = getattr(wengert, 'conv2d')",
        "import pickle; found = pickle.loads(b'cwengert\\nconv2d\\n.')",
        "import pickle; found = pickle.loads(b'cwengert._core.cards.card\\nregistered\\n(S\"embedding\"\\ntR.')",
        "from wengert._core.cards.card import REGISTRY; found = REGISTRY['conv2d'].public",
    ],
)
def test_an_operator_is_loaded_when_it_is_asked_for(asking):
    assert shown(f"{asking}\nshow([found.__name__, callable(found)])")[1]


def test_operators_that_the_core_calls_by_name_are_loaded_at_once():
    code = """
        import wengert
        from wengert._core.tensor.slots import OPERATORS, Operators
        show([name for name in Operators.__slots__ if getattr(OPERATORS, name, None) is None])
    """
    assert shown(code) == []


def test_every_sign_of_python_works_at_once():
    said = shown(
        """
        import operator
        import wengert as wg
        x, whole = wg.ones(2), wg.ones(2, dtype=wg.int64)
        signs = "add sub mul truediv floordiv mod pow matmul and_ or_ xor lshift rshift lt le eq ne gt ge".split()
        signs += [f"i{each.removesuffix('_')}" for each in signs[:13] if each != "matmul"]
        failed = {}
        for sign in signs:
            for left in (x, whole):
                try:
                    getattr(operator, sign)(left.clone(), left)
                except AttributeError as error:
                    failed[sign] = str(error)
                except (RuntimeError, NotImplementedError, TypeError):
                    pass  # what the dtype has not
        show(failed)
        """
    )
    assert said == {}


def test_a_name_that_nobody_has_is_refused():
    code = """
        import wengert
        said = []
        for module in (wengert, wengert.autograd):
            try:
                module.nonsense
            except AttributeError as error:
                said.append(str(error))
        show(said)
    """
    assert shown(code) == [f"module '{name}' has no attribute 'nonsense'" for name in ("wengert", "wengert.autograd")]


def test_families_that_come_late_give_what_was_promised_and_nothing_else():
    code = """
        import wengert
        from wengert._core.cards import card, late
        before, few = dir(wengert.Tensor), set(card.CARDS)
        card.load_all()
        wrong = [name for name in late.homes() if isinstance(vars(wengert.Tensor).get(name), late.LateMethod)]
        wrong += [name for name in late.homes() if name not in card.CARDS and name not in vars(wengert.Tensor)]
        wrong += [name for name in card.CARDS if name not in few and name not in late.homes()]
        wrong += [
            name
            for name, home in late.homes().items()
            if name in card.CARDS and card.CARDS[name].name == name and card.CARDS[name].body.__module__ != home
        ]
        show([before == dir(wengert.Tensor), wrong, few < set(card.CARDS)])
    """
    assert shown(code) == [True, [], True]


@pytest.mark.parametrize(
    "asking",
    [
        "x.sin()",
        "wengert.Tensor.sin(x)",
        "getattr(x, 'sin')()",
        "vars(wengert.Tensor)['sin'].__get__(x, wengert.Tensor)()",
        "Further([0.0]).sin()",
        "x.clone().sin_()",
        "x.real.sin()",
    ],
)
def test_a_method_is_loaded_when_it_is_asked_for(asking):
    code = f"""
        import wengert
        class Further(wengert.Tensor):
            def sin(self):
                return super().sin()
        x = wengert.zeros(1)
        had = "wengert.ops.pointwise.trigonometry" in sys.modules
        show([had, ({asking}).tolist(), "wengert.ops.pointwise.trigonometry" in sys.modules])
    """
    assert shown(code) == [False, [0.0], True]


@pytest.mark.parametrize(
    ("using", "expected"),
    [
        ("x.cumsum(0).tolist()", [1.0, 3.0]),
        ("wengert.cumsum(x, 0).tolist()", [1.0, 3.0]),
        ("wengert.Tensor.cumsum(x, 0).tolist()", [1.0, 3.0]),
        ("wengert.nn.Parameter(x).cumsum(0).tolist()", [1.0, 3.0]),
        ("Own(x).cumsum(0).tolist()", [-1.0, -3.0]),
        ("[hasattr(wengert.Tensor, 'cumsum'), hasattr(x, 'real'), x.real.tolist()]", [True, True, [1.0, 2.0]]),
        ("[setattr(x, 'real', wengert.ones(2)), x.tolist(), vars(x)]", [None, [1.0, 1.0], {}]),
        ("[setattr(x, 'cumsum', 3), x.cumsum, delattr(x, 'cumsum'), vars(x)]", [None, 3, None, {}]),
        ("refused(lambda: delattr(x, 'cumsum'))", "AttributeError"),
        ("refused(lambda: delattr(x, 'real'))", "AttributeError"),
        ("refused(lambda: wengert.Tensor.cumsum([1], 0))", "TypeError"),
        ("wengert.Tensor.cumsum.__name__", "cumsum"),
    ],
)
def test_a_method_that_comes_late_is_as_any_other(using, expected):
    code = f"""
        import wengert
        class Own(wengert.Tensor):
            def cumsum(self, dim):
                return -super().cumsum(dim)
        def refused(call):
            try:
                call()
            except Exception as error:
                return type(error).__name__
        x = wengert.tensor([1.0, 2.0])
        first = {using}
        x = wengert.tensor([1.0, 2.0])
        show([first, {using}])
    """
    assert shown(code) == [expected, expected]


def test_the_name_of_an_operator_that_comes_late_is_taken():
    code = """
        import wengert
        from wengert._core.cards.card import composite
        def cumsum(x): pass
        try:
            composite()(cumsum)
            said = ""
        except TypeError as error:
            said = str(error)
        show([said, wengert.cumsum(wengert.ones(2), 0).tolist()])
    """
    assert shown(code) == ["two operators are called cumsum", [1.0, 2.0]]


@pytest.mark.parametrize("names", [("cumsum", "cumsum"), ("scatter_reduce", "index_add"), ("std", "sin")])
def test_threads_that_ask_at_the_same_time_get_what_they_ask_for(names):
    code = f"""
        import threading, wengert
        begin, found = threading.Barrier(4), []
        def ask(name):
            begin.wait()
            found.append(getattr(wengert.ones(2), name).__name__ == name)
            found.append(getattr(wengert, name).__name__ == name)
        threads = [threading.Thread(target=ask, args=(name,)) for name in {2 * names}]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        show(found)
    """
    assert shown(code) == [True] * 8


def test_a_load_that_was_interrupted_can_be_repeated():
    code = """
        import wengert
        from wengert._core.cards import card
        begin, calls = card.begin_calls, []
        def interrupted(op):
            calls.append(op)
            if len(calls) == 4:
                raise KeyboardInterrupt
            begin(op)
        card.begin_calls = interrupted
        try:
            wengert.conv2d
        except KeyboardInterrupt:
            pass
        card.begin_calls = begin
        made = wengert.conv2d(wengert.ones(1, 1, 3, 3), wengert.ones(1, 1, 2, 2))
        show([len(calls), list(made.shape), "conv2d" in vars(wengert)])
    """
    assert shown(code) == [4, [1, 1, 2, 2], True]
