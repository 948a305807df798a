"""Tracebacks of errors: the program's own lines, and one frame of the package for each call into it."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import traceback
import weakref

import numpy as np
import pytest

import wengert as wg
from wengert import nn
from wengert._core.cards.card import Composite
from wengert.nn import functional as F
from wengert.testing import Case
from wengert.testing.calls import once

FOLDER = os.path.dirname(wg.__file__) + os.sep


def caught(call) -> BaseException:
    """The error of a call."""
    with pytest.raises(BaseException) as info:
        call()
    return info.value


def frames_of(call) -> list[tuple[bool, str]]:
    """The frames of the error of a call, that of the call itself first: whether they are the package's, and their
    names.
    """
    found = traceback.extract_tb(caught(call).__traceback__)[1:]
    return [(each.filename.startswith(FOLDER), each.name) for each in found]


def make(*shape: int, **options: bool) -> wg.Tensor:
    return wg.ones(*shape, **options)


def backward_twice() -> None:
    loss = (make(3, requires_grad=True) ** 2).sum()
    loss.backward()
    loss.backward()


def assign() -> None:
    make(3)[7] = 1


def add_in_place() -> None:
    total = make(3)
    total += make(4)


MISTAKES = {
    "add": (lambda: make(3) + make(4), "__add__"),
    "add as a method": (lambda: make(3).add(make(4)), "add"),
    "add as a function": (lambda: wg.add(make(3), make(4)), "add"),
    "add in place": (add_in_place, "__iadd__"),
    "unknown keyword": (lambda: wg.add(make(3), make(3), other_one=1), "add"),
    "missing argument": (lambda: wg.add(make(3)), "add"),
    "wrong type": (lambda: wg.add(make(3), "text"), "add"),
    "out": (lambda: wg.add(make(3), make(3), out=wg.zeros(3, dtype=wg.int64)), "add"),
    "Linear": (lambda: nn.Linear(3, 4)(make(2, 5)), "forward"),
    "Sequential": (lambda: nn.Sequential(nn.Linear(2, 3), nn.Linear(4, 5))(make(2, 2)), "forward"),
    "linear": (lambda: F.linear(make(2, 5), make(4, 3)), "linear"),
    "Conv2d": (lambda: nn.Conv2d(4, 2, 3)(make(1, 3, 4, 4)), "forward"),
    "conv2d": (lambda: F.conv2d(make(1, 3, 4, 4), make(2, 4, 3, 3)), "conv2d"),
    "matmul": (lambda: make(2, 3) @ make(2, 3), "__matmul__"),
    "index": (lambda: make(3)[7], "__getitem__"),
    "assignment": (assign, "__setitem__"),
    "view": (lambda: make(3).view(7), "view"),
    "sum": (lambda: make(3).sum(dim=3), "sum"),
    "cat": (lambda: wg.cat([make(2, 3), make(3, 2)]), "cat"),
    "cross_entropy": (lambda: F.cross_entropy(make(3, 4), wg.tensor([1, 2])), "cross_entropy"),
    "factory": (lambda: wg.zeros(-1), "zeros"),
    "tensor": (lambda: wg.tensor([[1], [1, 2]]), "tensor"),
    "backward twice": (backward_twice, "backward"),
    "backward of a vector": (lambda: (make(3, requires_grad=True) * 2).backward(), "backward"),
    "backward of a constant": (lambda: wg.autograd.backward(make(3).sum()), "backward"),
    "grad": (lambda: wg.autograd.grad(make(3, requires_grad=True).sum(), make(3, requires_grad=True)), "grad"),
    "write to a leaf": (lambda: make(3, requires_grad=True).add_(1), "add_"),
    "func.grad": (lambda: wg.func.grad(lambda x: x * 2)(make(3)), "grad"),
    "vmap": (lambda: wg.func.vmap(lambda x: x)(1), "vmap"),
    "jvp": (lambda: wg.func.jvp(lambda x: x, (make(3),), (make(4),)), "jvp"),
    "jacobian": (lambda: wg.autograd.functional.jacobian(lambda x: 1, make(3)), "jacobian"),
    "array first": (lambda: np.ones(5) + make(4), "array_ufunc"),
    "truth": (lambda: bool(make(3)), "__bool__"),
    "item": (lambda: make(3).item(), "item"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_shows_the_line_and_one_frame_that_names_the_call(mistake):
    call, name = MISTAKES[mistake]
    error = caught(call)
    found = traceback.extract_tb(error.__traceback__)[1:]
    assert [each.filename for each in found[:-1]] == [__file__] * (len(found) - 1), "the program's frames"
    assert found[-1].filename.startswith(FOLDER) and found[-1].name == name
    assert len(found) == 2, "the line of the call and one frame"
    assert found[-1].line, "the source of the package is shown, too"
    text = "".join(traceback.format_exception(error))
    assert "another exception" not in text and "direct cause" not in text


PROGRAM = """
import sys
import wengert as wg
from wengert import nn
from wengert.nn import functional as F

def attempt(call):
    try:
        call()
    except Exception:
        sys.excepthook(*sys.exc_info())
        print("END OF CALL", file=sys.stderr, flush=True)

def twice():
    loss = (wg.ones(3, requires_grad=True) ** 2).sum()
    loss.backward()
    loss.backward()

"""
PRINTED = (
    "lambda: wg.ones(3) + wg.ones(4)",
    "lambda: nn.Linear(3, 4)(wg.ones(2, 5))",
    "lambda: nn.Conv2d(4, 6, 3, groups=3)",
    "lambda: F.conv2d(wg.ones(1, 3, 4, 4), wg.ones(2, 4, 3, 3))",
    "lambda: wg.ones(2, 3) @ wg.ones(2, 3)",
    "lambda: wg.ones(3)[7]",
    "twice",
)


@pytest.fixture(scope="module")
def printed(tmp_path_factory) -> dict[str, list[list[str]]]:
    """For each setting the lines with a frame that Python prints, of each of the calls without that of `attempt`."""
    program = tmp_path_factory.mktemp("printed") / "program.py"
    program.write_text(PROGRAM + "".join(f"attempt({call})\n" for call in PRINTED))
    found = {}
    for setting in ("", "full"):
        environment = {**os.environ, "WENGERT_TRACEBACK": setting}
        command = [sys.executable, "-W", "ignore", str(program)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
        texts = done.stderr.split("END OF CALL\n")[:-1]
        lines = [[line for line in text.splitlines() if line.startswith("  File ")] for text in texts]
        found[setting] = [[line for line in each if "in attempt" not in line] for each in lines]
    return found


@pytest.mark.parametrize("call", PRINTED)
def test_python_prints_at_most_three_frames_and_all_of_them_if_asked(call, printed):
    short, whole = (printed[setting][PRINTED.index(call)] for setting in ("", "full"))
    assert "program.py" in short[0] and any("program.py" in line for line in whole)
    assert all(os.path.exists(line.split('"')[1]) for line in (*short, *whole)), "real paths"
    assert len(short) == 2 <= 3 < len(whole)


def public_function(composite: Composite):
    """What programs call of a function made of operators, or None."""
    if composite.function:
        return composite.public
    if composite.method:
        return getattr(wg.Tensor, composite.name)
    for module in (F, wg.linalg, wg.fft, wg.special):
        name = composite.name.removeprefix(f"{module.__name__.rpartition('.')[2]}_")
        if hasattr(module, name):
            return getattr(module, name)
    return None


def public(case: Case):
    """What programs call in a case, or None where it is called in another way."""
    call = case.call()
    if call.through is not None:
        return None
    operator = call.operator
    if isinstance(operator, Composite):
        operator = public_function(operator)
        if operator is None:
            return None
    return lambda: operator(*call.args, **call.kwargs)


UNCHECKED = {"chain_matmul", "float_power"}
"""Functions of operators that catch nothing: the operator that refuses shows, too."""


def is_refused(case: Case) -> bool:
    """Whether a program can make the call of a case, and is refused."""
    call = public(case)
    if call is None:
        return False
    try:
        call()
    except Exception:
        return True
    return False


@pytest.mark.cases(together=True, wanted=once, where=is_refused, bad=True)
def test_whatever_an_operator_refuses_leaves_one_frame(case: Case):
    found = frames_of(public(case))
    most = 2 if case.operator.name in UNCHECKED else 1
    assert not found[0][0] and 1 <= len([own for own, _ in found if own]) == len(found) - 1 <= most, found


# ---- frames of the program -------------------------------------------------------------------------------------------


def wrong(x):
    return x + make(4)


def shown_by(call) -> list[str]:
    """The names of the program's frames, and "..." for each of the package."""
    return ["..." if own else name for own, name in frames_of(call)][1:]


class Wrong(nn.Module):
    def forward(self, x):
        return wrong(x)


class WrongForward(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return wrong(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


class WrongBackward(wg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return wrong(grad)


def through_hook() -> None:
    y = make(3, requires_grad=True) * 2
    y.register_hook(wrong)
    y.sum().backward()


def through_module_hook() -> None:
    module = nn.ReLU()
    module.register_forward_hook(lambda module, args, result: wrong(result))
    module(make(3))


INSIDE = {
    "vmap": (lambda: wg.func.vmap(wrong)(make(2, 3)), ["...", "wrong", "..."]),
    "grad": (lambda: wg.func.grad(wrong)(make(3)), ["...", "wrong", "..."]),
    "jvp": (lambda: wg.func.jvp(wrong, (make(3),), (make(3),)), ["...", "wrong", "..."]),
    "nested": (lambda: wg.func.vmap(wg.func.jacrev(wrong))(make(2, 3)), ["...", "wrong", "..."]),
    "hook": (through_hook, ["...", "wrong", "..."]),
    "module": (lambda: Wrong()(make(3)), ["forward", "wrong", "..."]),
    "module in a module": (lambda: nn.Sequential(Wrong())(make(3)), ["...", "forward", "wrong", "..."]),
    "hook of a module": (through_module_hook, ["<lambda>", "wrong", "..."]),
    "Function forward": (lambda: WrongForward.apply(make(3)), ["...", "forward", "wrong", "..."]),
    "Function backward": (
        lambda: WrongBackward.apply(make(3, requires_grad=True)).sum().backward(),
        ["...", "backward", "wrong", "..."],
    ),
    "checkpoint": (
        lambda: wg.utils.checkpoint.checkpoint(wrong, make(3), use_reentrant=False),
        ["...", "wrong", "..."],
    ),
    "gradcheck": (
        lambda: wg.autograd.gradcheck(wrong, wg.ones(3, dtype=wg.float64, requires_grad=True)),
        ["...", "wrong", "..."],
    ),
}


@pytest.mark.parametrize("place", INSIDE)
def test_all_frames_of_the_program_are_kept(place):
    call, expected = INSIDE[place]
    assert shown_by(call) == expected


def test_an_error_of_the_program_itself_comes_through_with_its_frames():
    def fails(x):
        raise KeyError("mine")

    found = frames_of(lambda: wg.func.vmap(fails)(make(2, 3)))
    assert found == [(False, "<lambda>"), (True, "vmap"), (False, "fails")]


def test_what_the_program_was_handling_stays_in_the_chain():
    def handles():
        try:
            raise KeyError("mine")
        except KeyError:
            make(3) + make(4)

    error = caught(handles)
    assert isinstance(error.__context__, KeyError) and error.__context__.__context__ is None
    assert traceback.extract_tb(error.__context__.__traceback__)[-1].name == "handles"


def test_an_error_that_is_caught_and_raised_again_keeps_the_frames_of_both():
    def again():
        try:
            wrong(make(3))
        except RuntimeError as error:
            raise ValueError("translated") from error

    error = caught(lambda: wg.func.vmap(lambda x: again())(make(2, 3)))
    assert isinstance(error, ValueError)
    assert [each.name for each in traceback.extract_tb(error.__cause__.__traceback__)] == ["again", "wrong", "__add__"]


# ---- the setting, and what is not to change --------------------------------------------------------------------------


def test_all_frames_are_there_if_asked_for(monkeypatch):
    monkeypatch.setenv("WENGERT_TRACEBACK", "full")
    error = caught(lambda: make(3) + make(4))
    found = traceback.extract_tb(error.__traceback__)
    assert len([each for each in found if each.filename.startswith(FOLDER)]) > 5
    assert {"__add__", "call2", "run", "perform", "check_broadcast"} <= {each.name for each in found}
    assert all(each.line for each in found), "each with its line of the source"
    assert error.__context__ is not None


def test_an_interrupt_shows_where_it_came(monkeypatch):
    def interrupted(grad):
        raise KeyboardInterrupt

    y = make(3, requires_grad=True) * 2
    y.register_hook(interrupted)
    found = frames_of(lambda: y.sum().backward())
    assert len([name for own, name in found if own]) > 2


def test_an_error_leaves_no_cycle_behind():
    class Thing:
        pass

    def mistake():
        thing = Thing()
        gone.append(weakref.ref(thing))
        return make(3) + make(4)

    gone: list[weakref.ref] = []
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(RuntimeError):
            mistake()
        try:
            mistake()
        except RuntimeError as error:
            assert error.__traceback__ is not None
        assert gone[1]() is None
    finally:
        gc.enable()


def test_a_traceback_that_somebody_has_taken_stays_as_it_was():
    taken = []

    def keeps(x):
        try:
            return wrong(x)
        except RuntimeError as error:
            taken.append((error.__traceback__, traceback.extract_tb(error.__traceback__)))
            raise

    caught(lambda: wg.func.vmap(keeps)(make(2, 3)))
    ((trace, before),) = taken
    assert [each.name for each in traceback.extract_tb(trace)] == [each.name for each in before]


def test_generators_of_the_program_raise_as_ever():
    def rows():
        yield make(3)
        yield make(3) + make(4)

    assert [name for _, name in frames_of(lambda: wg.stack(list(rows())))] == ["<lambda>", "rows", "__add__"]


def test_a_debugger_can_walk_what_is_left():
    error = caught(lambda: wg.add(make(3), make(4)))
    last = traceback.extract_tb(error.__traceback__)[-1]
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    assert trace.tb_frame.f_code.co_name == "add" and trace.tb_frame.f_globals["__name__"].startswith("wengert.ops.")
    assert (
        trace.tb_lineno == last.lineno
        and isinstance(trace.tb_frame.f_locals, dict)
        and list(trace.tb_frame.f_code.co_positions())
    )
