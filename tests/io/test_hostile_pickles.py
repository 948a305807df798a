"""Archives that try to have something run, or to change what objects do: refused before anything happens."""

from __future__ import annotations

import argparse
import io
import os
import pickle
import subprocess
import types
import zipfile

import pytest
from wengert.serialization import clear_safe_globals, safe_globals

import wengert as wg
from tests.io.torch_archives import FLOATS, WHOLE, Call, Global, archive, code
from wengert import nn, optim
from wengert.io import trusted

RAN = []


class Innocent:
    """What a program has named."""

    limit = 3

    def method(self):
        return "the program's"

    @property
    def size(self):
        return 1


class Stranger:
    """What a program has not named."""

    def __setstate__(self, state):
        RAN.append(state)

    def __reduce__(self):
        return Stranger, ()


def stranger(*arguments):
    RAN.append(arguments)


@pytest.fixture(autouse=True)
def nothing_ran():
    clear_safe_globals()
    RAN.clear()
    yield
    clear_safe_globals()
    assert not RAN


LINEAR = "torch.nn.modules.linear Linear"
HERE = __name__


def new(name, state=None, arguments=()):
    """Opcodes that make an object of a class, and give it a state."""
    made = code(Global(name)) + code(arguments) + b"\x81"
    return made if state is None else made + code_of(state) + b"b"


def code_of(value):
    """Opcodes for a value whose parts may be opcodes themselves."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, dict):
        return b"}(" + b"".join(code_of(key) + code_of(each) for key, each in value.items()) + b"u"
    if isinstance(value, tuple):
        return b"(" + b"".join(map(code_of, value)) + b"t"
    return code(value)


def loaded(opcodes, *named, **options):
    with safe_globals(list(named)):
        return wg.load(archive(b"\x80\x02" + opcodes + b".", {"0": FLOATS}), **options)


def refused(opcodes, says, *named, **options):
    with pytest.raises(pickle.UnpicklingError, match=says) as caught:
        loaded(opcodes, *named, **options)
    assert not RAN
    return str(caught.value)


CALLED = [
    "os system",
    "posix system",
    "nt system",
    "subprocess Popen",
    "builtins eval",
    "__builtin__ exec",
    "builtins open",
    "builtins __import__",
    "builtins compile",
    "importlib import_module",
    "runpy run_path",
    "shutil rmtree",
    "pickle loads",
    "_pickle loads",
    "marshal loads",
    "code interact",
    "pty spawn",
    "operator attrgetter",
    "operator methodcaller",
    "functools reduce",
    "types FunctionType",
    "types CodeType",
    "copyreg _reconstructor",
    "copy_reg _reconstructor",
    "copyreg __newobj__",
    "webbrowser open",
    "ctypes CDLL",
    "sys exit",
    "socket socket",
    "torch load",
    "torch hub.load",
    "torch.hub load",
    "torch from_file",
    "torch.storage _load_from_bytes",
    "torch.serialization load",
    "torch.utils.cpp_extension load",
    "torch.jit load",
    "wengert load",
    "numpy load",
    "numpy fromfile",
    "numpy memmap",
    "numpy._core.numeric _frombuffer",
    "numpy.testing._private.utils runstring",
    f"{HERE} stranger",
    f"{HERE} Stranger",
    "pathlib Path",
    "tempfile mktemp",
    "weakref ref",
    "threading Thread",
]


@pytest.mark.parametrize("name", CALLED)
@pytest.mark.parametrize("weights_only", [None, True, False])
def test_what_no_program_named_is_not_even_looked_up(name, weights_only):
    for opcodes in (code(Call(name, "x")), new(name), code(Global(name)), new(LINEAR, {"act": code(Global(name))})):
        refused(opcodes, "was not an allowed global", weights_only=weights_only)


@pytest.mark.parametrize(
    "name", ["torch.tanh", "torch.nn.functional.relu", "torch.nn.init.zeros_", "torch.optim.sgd.SGD"]
)
def test_what_a_file_may_hold_it_may_not_call(name):
    name = " ".join(name.rsplit(".", 1))
    refused(code(Call(name, WHOLE)), "may not be called")


@pytest.mark.parametrize(
    "opcodes",
    [
        code(Call("__builtin__ getattr", Global("__builtin__ dict"), "__class__")),
        code(Call("__builtin__ getattr", Global(LINEAR), "__init__")),
        code(Call("__builtin__ getattr", Global(LINEAR), "__subclasses__")),
        code(Call("__builtin__ getattr", Global("torch._C _VariableFunctionsClass"), "__class__")),
        code(Call("__builtin__ getattr", Global("torch._C _VariableFunctionsClass"), "from_file")),
        code(Call("__builtin__ getattr", Call("__builtin__ getattr", "", "join"), "__globals__")),
        code(Call("__builtin__ getattr", Global("__builtin__ getattr"), "__self__")),
        code(Call("torch._C _VariableFunctionsClass")),
    ],
)
def test_chains_of_attributes_lead_nowhere(opcodes):
    refused(opcodes, "was not an allowed global|may not be called")


def test_an_operator_by_the_name_of_torchs_class_is_found():
    assert loaded(code(Call("__builtin__ getattr", Global("torch._C _VariableFunctionsClass"), "tanh"))) is wg.tanh


@pytest.mark.parametrize(
    "target",
    [
        code(Global(LINEAR)),
        code(Global("torch.nn.functional relu")),
        code(Global("torch tanh")),
        code(Global("torch float32")),
        code(Global("__builtin__ getattr")),
        code(Global("torch Tensor")),
        code(Call("torch Size", (1,))),
        code([1]),
        code("x"),
        code(1.5),
        code(None),
        code({"a": 1}),
        code(Call("__builtin__ slice", 1, 2, 3)),
        code(Call("pathlib PosixPath", "x")),
    ],
)
@pytest.mark.parametrize("state", [{"forward": 1}, {"__class__": 1}, {"__code__": 1}, (None, {"x": 1}), "text"])
def test_classes_functions_and_plain_values_take_no_state(target, state):
    refused(target + code_of(state) + b"b", "may not have a state")


NAMES = [
    *("__class__", "__dict__", "__call__", "__setstate__", "__getattr__", "__init__", "__reduce__", "__del__", "__x__"),
    *("forward", "train", "parameters", "state_dict", "_call_impl", "register_forward_hook", "zero_grad", "to"),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [code(Global("torch tanh")), code(5)])
def test_an_attribute_never_hides_a_method_of_a_layer(name, value):
    refused(new(LINEAR, {name: value}), f"attribute '{name}' of a Linear may not be set")
    refused(new(LINEAR) + code_of((None, {name: value})) + b"b", f"attribute '{name}' of a Linear may not be set")


@pytest.mark.parametrize(
    "kind", ["torch.optim.sgd SGD", "torch.optim.lr_scheduler StepLR", "torch.amp.grad_scaler GradScaler"]
)
@pytest.mark.parametrize("name", ["step", "state_dict", "__class__", "__getstate__"])
def test_nor_one_of_an_optimizer_or_scheduler(kind, name):
    refused(new(kind, {name: code(Global("torch tanh"))}), f"attribute '{name}' of a .* may not be set")


def test_nor_one_of_a_class_of_the_program():
    for name in ("method", "size", "__class__", "__doc__"):
        refused(new(f"{HERE} Innocent", {name: 1}), f"attribute '{name}' of a Innocent may not be set", Innocent)
    found = loaded(new(f"{HERE} Innocent", {"limit": 7, "own": 8}), Innocent)
    assert (found.limit, found.own, found.method(), Innocent.limit) == (7, 8, "the program's", 3)


@pytest.mark.parametrize("kind", ["argparse Namespace", "types SimpleNamespace"])
@pytest.mark.parametrize("name", ["__class__", "__dict__", "__getattribute__"])
def test_nor_one_of_a_namespace(kind, name):
    made = new(kind) if kind.startswith("argparse") else code(Call(kind))
    refused(made + code_of({name: 1}) + b"b", "of a namespace may not be set")


TABLES = [
    "_forward_hooks",
    "_forward_pre_hooks",
    "_backward_hooks",
    "_backward_pre_hooks",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
]


@pytest.mark.parametrize("table", TABLES)
def test_hooks_are_functions_that_files_may_hold(table):
    for hook in (code(5), code("x"), code(Global("torch float32")), code(Global("__builtin__ getattr")), WHOLE):
        hook = code(hook) if isinstance(hook, Call) else hook
        refused(new(LINEAR, {table: {1: hook}}), "a hook of a Linear is .*, which files may not hold")
    refused(new(LINEAR, {table: {1: code(Global(f"{HERE} stranger"))}}), "was not an allowed global")
    assert list(getattr(loaded(new(LINEAR, {table: {1: code(Global("torch tanh"))}})), table).values()) == [wg.tanh]


@pytest.mark.parametrize(
    "state",
    [
        {"_parameters": {"weight": 5}},
        {"_parameters": {"weight": code(WHOLE)}},
        {"_buffers": {"b": "x"}},
        {"_modules": {"m": code(Global(LINEAR))}},
        {"_modules": {"a.b": None}},
        {"_modules": {"forward": None}},
        {"_modules": 5},
        {"_forward_hooks": {"x": code(Global("torch tanh"))}},
        {"training": 5},
        {"_forward_hooks_with_kwargs": {"x": True}},
        5,
        ("a", "b", "c"),
    ],
)
def test_tables_of_a_module_hold_what_they_should(state):
    with pytest.raises(wg.io.DamagedFileError):
        loaded(new(LINEAR, state))


def test_a_table_that_is_changed_after_its_module_was_made_is_the_files_only():
    """The dictionary is remembered, the module made, then a value put into the dictionary."""
    later = b"h\x07X\x07\x00\x00\x00forwardK\x05s0" + b"h\x08"
    opcodes = new(LINEAR) + b"q\x08" + b"}q\x07b" + later
    found = loaded(opcodes)
    assert type(found) is nn.Linear and "forward" not in vars(found)


def test_partial_functions_are_of_what_files_may_hold():
    def partial(function, state):
        return code(Global("functools partial")) + b"(" + function + b"tR" + code_of(state) + b"b"

    tanh, other = code(Global("torch tanh")), code(Global("__builtin__ getattr"))
    assert loaded(partial(tanh, (tanh, (1,), {"a": 2}, None))).keywords == {"a": 2}
    refused(partial(code(Global("os system")), (tanh, (), {}, None)), "was not an allowed global")
    for function, state in (
        (other, (tanh, (), {}, None)),
        (tanh, (other, (), {}, None)),
        (code(5), (tanh, (), {}, None)),
        (tanh, (tanh, (), {}, {"__class__": 1})),
        (tanh, (tanh, (), {}, {"x": 1})),
        (tanh, (5, (), {}, None)),
    ):
        refused(partial(function, state), "a partial function")


def test_arrays_of_objects_and_records_are_refused():
    begun = code(Call("numpy._core.multiarray _reconstruct", Global("numpy ndarray"), (0,), "b"))
    for kind in ("O8", "O", "V8", "i4,i4", "(2,)f4", "u1" * 600):
        dtype = code(Call("numpy dtype", kind, False, True))
        refused(begun + code_of((1, (1,), dtype, False, code([1]))) + b"b", "numbers or texts|a dtype of|understood")
    dtype = code(Call("numpy dtype", "f8", False, True))
    for state in ((3, "<", code(("x",)), None, None, -1, -1, 0), (3, "?", None, None, None, -1, -1, 0), "x"):
        refused(dtype + code_of(state) + b"b", "dtype")
    for shape in ((2,), (-1,), (2**70,)):
        refused(begun + code_of((1, shape, dtype, False, code("x"))) + b"b", "array")


def test_blocked_modules_stay_blocked_even_if_a_program_names_them():
    for name in ("os system", "posix system", "nt system"):
        refused(code(Call(name, "exit 1")), "its module is blocked", os.system)
    refused(code(Call("a b", "exit 1")), "was not an allowed", (os.system, "a.b"))
    assert trusted.find("a", "b") is None


def test_objects_of_classes_that_nobody_named_take_no_state():
    message = refused(new(f"{HERE} Stranger", {"x": 1}), "Stranger was not an allowed global", Innocent)
    assert f"add_safe_globals([{HERE}.Stranger])" in message
    with pytest.raises(pickle.UnpicklingError):
        wg.load(io.BytesIO(pickle.dumps(Stranger())))


def test_python_pickles_are_not_run_in_any_other_way():
    """What Python's own pickler writes for a class with code in `__reduce__`."""

    class Shell:
        def __reduce__(self):
            return subprocess.getoutput, ("exit 1",)

    for protocol in range(6):
        for raw in (pickle.dumps(Shell(), protocol), pickle.dumps([1, {"a": Shell()}], protocol)):
            with pytest.raises(pickle.UnpicklingError):
                wg.load(archive(raw))
            with pytest.raises(pickle.UnpicklingError):
                wg.load(io.BytesIO(raw), weights_only=False)


def test_the_tables_of_names_hold_no_function_that_opens_files():
    functions = trusted.functions()
    assert len(functions) > 500 and len(trusted.classes()) > 150
    for name in ("load", "save", "from_file", "set_rng_state", "compile", "hub", "library", "frombuffer"):
        assert f"torch.{name}" not in functions and f"torch._C._VariableFunctionsClass.{name}" not in functions
    bases = (nn.Module, optim.Optimizer)
    others = {cls.__name__ for cls in trusted.classes().values() if not issubclass(cls, bases)}
    assert {name for name in others if "LR" not in name} == {
        "ByFunctions",
        "ChainedScheduler",
        "CosineAnnealingWarmRestarts",
        "GradScaler",
        "PackedSequence",
        "SpectralNorm",
        "WeightNorm",
    }


def test_many_layers_of_a_file_that_programs_write_are_not_too_many():
    file = io.BytesIO()
    wg.save(nn.Sequential(*[nn.ReLU() for _ in range(1000)]), file)
    file.seek(0)
    assert len(wg.load(file)) == 1000


def test_a_file_of_nothing_but_empty_layers_takes_no_more_than_its_share():
    opcodes = code(Global(LINEAR)) + b"q\x010]" + b"h\x01)\x81a" * 100_000
    with pytest.raises(wg.io.DamagedFileError, match="for each of its own bytes"):
        loaded(opcodes)


def test_namespaces_and_members_that_are_allowed_come_back():
    file = io.BytesIO()
    wg.save([argparse.Namespace(x=1), types.SimpleNamespace(y=2), nn.Tanh()], file)
    with zipfile.ZipFile(file) as packed:
        assert packed.testzip() is None
    file.seek(0)
    first, second, _ = wg.load(file)
    assert (first.x, second.y) == (1, 2)
