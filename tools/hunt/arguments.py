"""Fuzzed arguments of every public name, of the hidden operators and of the native kernels.

Calls that work (`seeds`) are changed at one to three places into calls that hardly anybody writes (`hostile`). Found
are crashes, hangs, memory that is asked for in vain, internal errors, and refused calls that changed something.
"""

from __future__ import annotations

import ast
import random
import re
import sys
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tools.hunt import forked, hostile, seeds
from wengert._core.state.modes import current

NAME = "arguments"
PRELUDE = "from tools.hunt.hostile import *"
LIMITS = forked.Limits(seconds=10.0, memory=384 << 20, tries=200)

INTERNAL = (
    AttributeError,
    NameError,
    AssertionError,
    KeyError,
    SystemError,
    ZeroDivisionError,
    UnicodeError,
    StopIteration,
)
CARELESS = re.compile(
    r"(tuple|list|string) index out of range|pop from empty|values to unpack|not in (list|tuple)|"
    r"arg(ument)? is an? empty|NoneType' object(?! is not callable)"
)
"""Texts of errors that Python raises where nobody looked at an argument."""

OWN = re.compile(r"wengert/_?(?!.*hunt/)\w+")
"""Files of the package."""

FIELDS = re.compile(r"'_(array|storage|flags|edge|meta)_'")
SCIPYS = re.compile(r"site-packages/scipy/(optimize|integrate)/")
USERS = re.compile(r"wengert/(nn|optim|utils|viz|autograd)/")
GIVEN = re.compile(r"(type object )?'[\w.]+' (object )?has no")

SAID_BY_TORCH = {("sizes.py", "__getitem__"), ("sizes.py", "__new__"), ("dtypes.py", "__getattr__")}
"""File and function of errors that torch's shapes and dtypes leave to Python, too: what matters is who asked."""

INNER = re.compile(r"^(cards\[|native\.|kernels\.)|\.(grad_fn\.apply|_restrided|_as_strided_from_)\(", re.MULTILINE)
"""Programs that call what only the package calls: it must not break, but how it refuses is no matter."""

HALF_MADE = re.compile(r"\.__new__\(")
"""Programs with objects that were allocated only: tests/core/test_half_made.py holds that these do not crash."""

OF_CLASS = re.compile(r"\bwg\.Tensor\.\w+\(")
"""Methods taken from the class: what they are called on may be no tensor. torch's are C and look; these are Python."""

SPREAD = re.compile(r"\b(expand|empty)\([^()]*2 \*\* (31|3[2-9]|[4-6]\d)")
"""Tensors so long (and expanded, or empty) that what is made of them and others is too large: torch's, too."""

LYING = re.compile(r"\b(lying|rude)\([^()]*2 \*\* (31|3[2-9]|[4-6]\d)[^()]*\)")
"""Objects that claim to hold so much that Python's own list() asks for the memory."""

SIZED = frozenset(
    """
    unit_vectors zeros ones full empty rand randn arange linspace logspace eye tril_indices triu_indices repeat tile pad
    constant_pad_nd edge_pad new_zeros new_ones new_full new_empty randint randperm resize_ one_hot
    repeat_interleave diag_embed diagflat diag interpolate resample unfold fold normal empty_strided adaptive_average
    along_depth
    adaptive_maximum meshgrid multinomial construct set_num_threads outer tensor_split
    convolution convolution_input convolution_weight conv1d conv2d conv3d
    bincount range expand_copy counts_of_rows counts_of_points even_edges nonzero_static largest
    frequencies
    """.split()  # noqa: SIM905 - a list would be four times as long
)
"""Functions whose results are as large as their arguments say: there a lack of memory is no finding."""


def change(draw: random.Random, text: str) -> str:
    """A program with one to three arguments that are hostile, missing or too many."""
    tree = ast.parse(text)
    last = tree.body[-1]
    for _ in range(draw.choice((1, 1, 1, 2, 2, 3))):
        within = last if draw.random() < 0.85 else draw.choice(tree.body)
        calls = [node for node in ast.walk(within) if may_change(node)]
        if calls:
            change_call(draw, draw.choice(calls))
    return ast.unparse(ast.fix_missing_locations(tree))


def may_change(node: ast.AST) -> bool:
    """Whether it is a call, an index or an operator of the library's."""
    if isinstance(node, ast.Subscript):
        return ast.unparse(node.value) != "cards"
    if isinstance(node, ast.BinOp):
        return not isinstance(node.left, ast.Constant) and not isinstance(node.right, ast.Constant)
    if not isinstance(node, ast.Call) or ast.unparse(node.func) in ("wg.tensor", "range", "rude", "deep"):
        return False
    return not ast.unparse(node.func).startswith("np.")  # NumPy's own calls


def change_call(draw: random.Random, call: Any) -> None:
    """One argument of a call, an index or an operand."""
    if isinstance(call, ast.Subscript):
        call.slice = drawn(draw)
        return
    if isinstance(call, ast.BinOp):
        call.right = drawn(draw)
        return
    kind = draw.random()
    if kind < 0.08 and (call.args or call.keywords):
        (call.args or call.keywords).pop()
    elif kind < 0.16 and not any(isinstance(argument, ast.Starred) for argument in call.args):
        call.args.append(drawn(draw))
    elif kind < 0.24:
        names = {argument.arg for argument in call.keywords}
        name = draw.choice(hostile.NAMES)
        if name not in names:
            call.keywords.append(ast.keyword(name, drawn(draw)))
    elif kind < 0.30 and isinstance(call.func, ast.Attribute) and not is_module(call.func.value):
        call.func.value = drawn(draw)
    elif call.args or call.keywords:
        at = draw.randrange(len(call.args) + len(call.keywords))
        if at < len(call.args):
            call.args[at] = drawn(draw)
        else:
            call.keywords[at - len(call.args)].value = drawn(draw)


def is_module(node: ast.expr) -> bool:
    """Whether it names a module rather than a value."""
    return isinstance(node, ast.Attribute) or (isinstance(node, ast.Name) and len(node.id) > 1 and node.id[0] != "a")


def drawn(draw: random.Random) -> ast.expr:
    """A hostile argument."""
    return ast.parse(draw.choice(draw.choice(hostile.KINDS)), mode="eval").body


def programs(seed: int) -> Iterator[str]:
    """Changed programs without end."""
    draw, texts = random.Random(seed), seeds.every()
    while True:
        try:
            yield change(draw, draw.choice(texts))
        except (RecursionError, ValueError):  # what cannot be written down
            continue


def attempt(text: str) -> str | None:
    """Run a program; what is wrong with how it ended, or with what it left."""
    try:
        return run(text)
    except hostile.Refused:
        return None  # an error that holds what the program gave cannot be read aloud
    except Exception as error:  # of the look at the tensors
        if HALF_MADE.search(text):
            return None
        return f"left a tensor that cannot be looked at: {type(error).__name__}: {str(error)[:100]}"


def run(text: str) -> str | None:
    """Run a program; what is wrong with how it ended."""
    *lines, last = text.splitlines()
    names = {name: vars(hostile)[name] for name in hostile.__all__}
    modes = state_of_modes()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec("\n".join(lines), names)
        except Exception as error:
            return judge(error, text)
        finally:
            put_back(modes)
        before = state(names)
        try:
            result = eval(last, names)
        except Exception as error:
            complaint = judge(error, text) or changed(before, state(names), error)
            after = state_of_modes()
            if complaint is None and after != modes:
                complaint = f"a refused call left modes changed ({type(error).__name__}): {modes} to {after}"
        else:
            complaint = use(result, text)
        put_back(modes)
    return complaint


def judge(error: BaseException, text: str) -> str | None:
    """What an error says about the library."""
    every = traceback.extract_tb(error.__traceback__)
    frames = [frame for frame in every if OWN.search(frame.filename)]
    if not frames or every[-1].filename == hostile.__file__ or isinstance(error, hostile.Refused):
        return None  # the program's own
    if isinstance(error, AttributeError) and every[-1].filename == "<string>":
        return None  # that of a function of the program, which is called by the library
    if SCIPYS.search(every[-1].filename):
        return None  # what SciPy says of a function of the program's that was handed on to it
    if (Path(frames[-1].filename).name, frames[-1].name) in SAID_BY_TORCH:
        frames.pop()
        if not frames:
            return None
    where = f"{Path(frames[-1].filename).name}:{frames[-1].lineno} {frames[-1].name}"
    if isinstance(error, MemoryError):
        sized = any(makes_as_told(frame.name.rpartition(".")[2]) for frame in frames)
        return (
            None
            if sized or SPREAD.search(text) or LYING.search(text)
            else f"asks for memory before it looks, at {where}: {str(error)[:80]}"
        )
    if isinstance(error, SystemError) or (
        not any(pattern.search(text) for pattern in (INNER, HALF_MADE, OF_CLASS))
        and careless(error, frames[-1].filename)
    ):
        words = GIVEN.sub("an object has no", str(error))
        return f"internal {type(error).__name__} at {where}: {words[:100]}"
    return None


def makes_as_told(function: str) -> bool:
    """Whether a function's result is as large as its arguments say; gradients of parts have the shape that is given."""
    return function in SIZED or function.endswith("_backward")


def careless(error: BaseException, file: str) -> bool:
    """Whether an error is one that Python raises where nobody looked at an argument."""
    text = str(error)
    if isinstance(error, NameError) or FIELDS.search(text):
        return True
    if isinstance(error, UnicodeEncodeError):
        return False  # what open() says of a name that no file can have
    if USERS.search(file) or text.startswith("module "):
        return False  # torch is Python there, too
    if isinstance(error, AssertionError):
        return not text  # a sentence is meant for the reader
    return isinstance(error, INTERNAL) or CARELESS.search(text) is not None


def state_of_modes() -> tuple[Any, ...]:
    """What a call may have left switched on."""
    wg = hostile.wg
    return (wg.is_grad_enabled(), wg.is_inference_mode_enabled(), wg.get_default_dtype(), wg.is_anomaly_enabled())


def put_back(modes: tuple[Any, ...]) -> None:
    """Modes as they were, where a program changed them on purpose; what it entered and did not leave is left."""
    wg = hostile.wg
    thread = current()
    thread.saved_hooks = thread.no_saved_hooks = None
    if state_of_modes() != modes:
        wg.set_grad_enabled(modes[0])
        wg.set_default_dtype(modes[2])
        wg.set_anomaly_enabled(modes[3])


def state(names: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """All that can be said of the tensors of a program."""
    return {
        name: (
            value.dtype,
            tuple(value.shape),
            *laid_out(value),
            value.requires_grad,
            value.is_leaf,
            None if value.is_inference() else value._version,
            data_of(value) if value.numel() < 10000 else b"",
        )
        for name, value in names.items()
        if isinstance(value, hostile.wg.Tensor)
    }


def laid_out(value: Any) -> tuple[Any, Any]:
    """Strides and offset; of a sparse tensor sizes of its parts and whether each place comes once, or its layout."""
    if value.layout is not hostile.wg.strided:
        sizes = value.sparse_dim(), value.dense_dim(), value._nnz()
        return sizes, value.is_coalesced() if value.is_sparse else value.layout
    return value.stride(), value.storage_offset()


def data_of(value: Any) -> bytes:
    """The elements, or the places and entries."""
    value = value.detach()
    if value.is_sparse:
        parts = [value._indices(), value._values()]
    elif value.layout is not hostile.wg.strided:
        parts = [*(getattr(value, name)() for name in value.layout.words), value.values()]
    else:
        parts = [value]
    return b"".join(part.numpy().tobytes() for part in parts)


FACTS = ("dtype", "shape", "strides", "offset", "requires_grad", "is_leaf", "version", "data")


def changed(before: dict[str, Any], after: dict[str, Any], error: BaseException) -> str | None:
    """What a refused call changed."""
    for name, facts in before.items():
        for what, old, new in zip(FACTS, facts, after.get(name, facts)):
            if old != new:
                short = "" if what == "data" else f" from {old} to {new}"
                return f"refused ({type(error).__name__}: {str(error)[:60]}) but changed {what} of {name}{short}"
    return None


def use(result: Any, text: str) -> str | None:
    """Look at what a call gave: every element, and the way back."""
    wg = hostile.wg
    parts = result if isinstance(result, (tuple, list)) else [result]
    for part in parts[:4]:
        if not isinstance(part, wg.Tensor) or part.numel() > 1 << 20:
            continue
        try:
            repr(part)
            copied = part.detach().clone()
            copied.to_dense().tolist()
            if part.requires_grad and not part.is_leaf:
                whole = part.to_dense()
                whole.backward(wg.ones_like(whole))
        except MemoryError:
            continue
        except Exception as error:
            complaint = judge(error, text)
            if complaint:
                return "afterwards, " + complaint
    return None


def hunt(seconds: float, seed: int) -> tuple[int, list[str]]:
    """See the package."""
    return forked.sift(programs(seed), attempt, seconds, LIMITS, excuse=lambda text: SPREAD.search(text) is not None)


if __name__ == "__main__":
    forked.main(hunt)
