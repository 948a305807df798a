"""Wrong calls of every area: torch's type of error, a text that says what came, and at most two frames of the package.

`wrong_calls.txt` has a call a line, behind the type of the error that torch 2.13 raises for it; ";;" separates
statements. Left out are calls of which torch says nothing, and where its error comes from the inside of its own Python
code (an AttributeError of `softmax("a")`) while ours names the argument.
"""

from __future__ import annotations

import inspect
import os
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import wengert as wg
from wengert import nn
from wengert.nn import functional as F

FOLDER = os.path.dirname(wg.__file__) + os.sep
MODULES = {
    "D": "distributions",
    "P": "nn.utils.parametrize",
    "ck": "utils.checkpoint",
    "data": "utils.data",
    "init": "nn.init",
    "nnu": "nn.utils",
    "optim": "optim",
    "par": "nn.utils.parametrizations",
    "prune": "nn.utils.prune",
    "rnn": "nn.utils.rnn",
    "sched": "optim.lr_scheduler",
    "swa": "optim.swa_utils",
}


def module(name: str) -> types.ModuleType:
    return import_module(f"wengert.{name}")


def make(*shape: int, **options: Any) -> wg.Tensor:
    return wg.ones(*shape, **options)


def leaf(*shape: int) -> wg.Tensor:
    return wg.ones(*shape, requires_grad=True)


def read_calls() -> dict[str, list[tuple[str, str]]]:
    """For each area the calls, each behind the name of its error's type."""
    areas: dict[str, list[tuple[str, str]]] = {}
    for line in (Path(__file__).parent / "wrong_calls.txt").read_text().splitlines():
        if line.startswith("# "):
            calls = areas[line[2:]] = []
        elif line:
            kind, _, call = line.partition(": ")
            calls.append((kind, call))
    return areas


CALLS = read_calls()


def caught(call: Callable[[], Any]) -> Exception | None:
    """The error of a call; None without."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except Exception as error:
            return error
    return None


def own_frames(error: Exception) -> list[str]:
    """The frames of the package that an error shows."""
    frames = traceback.extract_tb(error.__traceback__)
    return [f"{frame.filename}:{frame.name}" for frame in frames if frame.filename.startswith(FOLDER)]


def names() -> dict[str, Any]:
    """What the calls of the table know."""
    known = {name: module(place) for name, place in MODULES.items()}
    return {**known, "wg": wg, "nn": nn, "F": F, "make": make, "leaf": leaf, "mod": module}


@pytest.mark.parametrize("area", CALLS)
def test_wrong_calls_are_refused_as_by_torch_and_show_at_most_two_frames(area: str):
    wrong = []
    for kind, call in CALLS[area]:
        code = compile(call.replace(" ;; ", "\n"), "<program>", "exec")
        error = caught(lambda code=code: exec(code, names()))
        if error is None or kind not in [each.__name__ for each in type(error).__mro__]:
            wrong.append(f"{call}: {error!r}, torch raises {kind}")
        elif len(own_frames(error)) > 2 or len(str(error)) < 3:
            wrong.append(f"{call}: {error!r} from {own_frames(error)}")
        elif error.__context__ is not None and not error.__suppress_context__:
            wrong.append(f"{call}: during {error.__context__!r}, {error!r}")
    assert not wrong, "\n".join(wrong)


TEXTS = {
    'optim.Adam([leaf(2)], lr="x")': "Invalid learning rate: expected a number, but got str",
    "optim.SGD(3)": "iterable of Tensors or dicts, but got int",
    'optim.SGD([{"params": 3}])': "a Tensor or an iterable of Tensors, but got int",
    "nnu.clip_grad_norm_(3, 1.0)": "expected a Tensor or an iterable of Tensors, but got int",
    'nnu.clip_grad_norm_([leaf(2)], "a")': "max_norm should be a number, but got 'a'",
    "nnu.clip_grad_value_([leaf(2)], [])": "clip_value should be a number, but got []",
    'nnu.spectral_norm(nn.Linear(2, 3), "foo")': "spectral_norm found no such parameter in Linear",
    "nnu.skip_init(3)": "skip_init(): expected a class of modules, but got int",
    'P.register_parametrization(nn.Linear(2, 3), "weight", 3)': "parametrization should be a Module, but got int",
    "ck.checkpoint_sequential(3, 1, make(2), use_reentrant=False)": "a sequence of functions, not int",
    "ck.checkpoint_sequential([F.relu], 0, make(2), use_reentrant=False)": "expected 1 or more segments, got 0",
    "nn.LSTM(3, 4)(make(2, 5, 3), make(1, 5, 4))": "a tuple (h_0, c_0) of two tensors, but got a tensor of shape",
    'nn.Unflatten("a", 3)': "unflattened_size must be a tuple of ints, but found type int",
    "data.default_collate([])": "default_collate: expected one sample or more",
    "data.ConcatDataset([[1], [2]])[7]": "index 7 is out of range of 2 samples in 2 datasets",
    "wg.compile(3)": "A callable function is expected, but <class 'int'> is provided",
    "wg.jit.script(3)": "is a built-in class",
    "wg.set_num_threads(0)": "set_num_threads expects a positive integer, but got 0",
    'wg.manual_seed("a")': "manual_seed expected an integer, but got 'a'",
    "make(6).view()": "view() received an invalid combination of arguments - got ()",
    'make(3).numpy("a")': "numpy() takes 1 positional argument",
    'optim.SGD([leaf(2)]).load_state_dict({"param_groups": []})': "a different number of parameter groups",
}


@pytest.mark.parametrize("call", TEXTS)
def test_a_text_says_what_came_and_what_was_wanted(call: str):
    error = caught(lambda: eval(call, names()))
    assert TEXTS[call] in str(error), repr(error)
    assert error is not None and len(own_frames(error)) <= 2


# ---- constructors ----------------------------------------------------------------------------------------------------

FAMILIES = ("nn", "optim", "optim.lr_scheduler", "distributions", "utils.data")
HOSTILE = (-1, 0, "a", None, 2.5, object(), (), [[]])
KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
SMALL = {
    "d_model": 4,
    "nhead": 2,
    "num_encoder_layers": 1,
    "num_decoder_layers": 1,
    "dim_feedforward": 4,
}
"""What has large values where it is not given."""


def classes(family: str) -> Iterator[type]:
    """The public classes of a module."""
    found = [value for name, value in inspect.getmembers(module(family), inspect.isclass) if name[0] != "_"]
    return (cls for cls in found if cls.__module__.startswith("wengert.") and not issubclass(cls, Exception))


def usual(family: str, parameter: inspect.Parameter) -> Any:
    """A value for a required parameter of a constructor."""
    if parameter.name == "params":
        return [leaf(2)]
    if parameter.name == "optimizer":
        return module("optim").SGD([leaf(2)], lr=0.1)
    if parameter.name in ("dataset", "data_source"):
        return [1, 2, 3]
    return wg.tensor([0.4, 0.6]) if family == "distributions" else 4


def hostile_calls(family: str, cls: type) -> Iterator[dict[str, Any]]:
    """Arguments of a constructor: one of them hostile, the others usual."""
    try:
        parameters = inspect.signature(cls).parameters
    except ValueError:
        return
    for name in parameters:
        for value in HOSTILE:
            named = [
                each for each in parameters.values() if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)
            ]
            given = {each.name: usual(family, each) for each in named if each.default is each.empty}
            yield {**given, **{key: small for key, small in SMALL.items() if key in parameters}, name: value}


@pytest.mark.parametrize("family", FAMILIES)
def test_constructors_with_hostile_arguments_show_at_most_two_frames(family: str):
    refused, wrong = 0, []
    for cls in classes(family):
        for given in hostile_calls(family, cls):
            error = caught(lambda cls=cls, given=given: cls(**given))
            refused += error is not None
            if error is not None and len(own_frames(error)) > 2:
                wrong.append(f"{cls.__name__}({given}): {own_frames(error)}")
    assert not wrong, "\n".join(wrong)
    assert refused > 20, "the arguments are hostile"


WARNING_CALLS = (
    "nn.LSTM(2, 3, dropout=0.5)",
    "nn.Container()",
    "nn.Hardtanh(min_value=-2.0)",
    "nn.NLLLoss2d()",
    "nn.Linear(0, 3)",
    "nn.Conv2d(2, 0, 3)",
    "nn.TransformerEncoder(nn.TransformerEncoderLayer(3, 1), 1)",
    "init.trunc_normal_(make(2), 5.0)",
    "init.kaiming_normal_(make(0, 2))",
    "init.kaiming_uniform_(make(0, 2))",
    "init.uniform(make(2))",
    "nn.Linear(2, 2).to(wg.complex64)",
)


@pytest.mark.parametrize("call", WARNING_CALLS)
def test_warnings_of_constructors_point_at_the_line_of_the_program(call: str):
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        eval(compile(call, "<program>", "eval"), names())
    assert noted and noted[0].filename == "<program>", [str(each) for each in noted]


class Mine(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Conv2d(4, 6, 3, groups=width)


def test_constructors_of_the_program_keep_their_frames():
    error = caught(lambda: Mine(3))
    assert error is not None
    found = traceback.extract_tb(error.__traceback__)
    assert [frame.name for frame in found if not frame.filename.startswith(FOLDER)][-2:] == ["<lambda>", "__init__"]
    assert len(own_frames(error)) == 1 and found[-1].name == "__init__"


def test_signatures_and_names_of_constructors_stay():
    assert list(inspect.signature(nn.Linear).parameters)[:3] == ["in_features", "out_features", "bias"]
    assert nn.Conv2d.__init__.__qualname__ == "Conv2d.__init__"
    assert module("optim").SGD.__init__.__module__ == "wengert.optim.sgd"
    assert module("distributions").Normal.__init__.__wrapped__.__code__.co_filename.endswith("normal.py")


# ---- custom functions ------------------------------------------------------------------------------------------------


class Double(wg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        return x * 2


class Twice(Double):
    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return grad, grad


class Wide(Double):
    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return make(3)


class Number(Double):
    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return 3


class Saving(wg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(3)
        return x * 2


def run(function: Any) -> Callable[[], Any]:
    return lambda: function.apply(leaf(2)).sum().backward()


MISUSES = {
    "no backward": (run(Double), NotImplementedError, "You must implement either the backward or vjp method"),
    "too many gradients": (run(Twice), RuntimeError, "an incorrect number of gradients (expected 1, got 2)"),
    "a gradient too wide": (run(Wide), RuntimeError, "an invalid gradient at index 0 - got [3]"),
    "a number as gradient": (run(Number), RuntimeError, "expected Variable or None (got int)"),
    "saves a number": (run(Saving), TypeError, "argument 0 is of type int"),
    "unknown keyword": (lambda: Twice.apply(leaf(2), wrong=3), TypeError, "forward() got an unexpected keyword"),
    "no argument": (lambda: Twice.apply(), TypeError, "missing 1 required positional argument"),
    "without vmap": (lambda: wg.func.vmap(Twice.apply)(make(2)), RuntimeError, "it must override the setup_context"),
}


@pytest.mark.parametrize("misuse", MISUSES)
def test_misused_functions_show_at_most_two_frames(misuse: str):
    call, kind, text = MISUSES[misuse]
    error = caught(call)
    assert isinstance(error, kind) and text in str(error), repr(error)
    assert len(own_frames(error)) <= 2
