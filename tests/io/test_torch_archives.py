"""torch's zip archives, made by hand: tensors and plain containers are read, all else is refused, nothing is run."""

from __future__ import annotations

import ast
import io
import pickle
import struct
import tracemalloc
import zipfile
from collections import Counter, OrderedDict, defaultdict
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

import wengert as wg
from tests.io.torch_archives import FLOATS, STORAGES, WHOLE, Call, Global, Stored, archive, code, tensor
from wengert import nn
from wengert._tensor.attributes import dtypes
from wengert.io import opcodes


@pytest.mark.parametrize("name", STORAGES)
@pytest.mark.parametrize("order", ["little", "big", None])
def test_every_dtype_in_either_byte_order(name, order):
    values = np.array([[0, 1, 1], [1, 0, 1]]).astype(dtypes.by_name(name).numpy)
    raw = values.view(np.uint16) if name == "bfloat16" else values
    if order == "big":
        raw = raw.byteswap()
    kind = f"torch {STORAGES[name]}Storage"
    made = archive(
        tensor(Stored(kind, "0", 6), 0, (2, 3), (3, 1)), {"0": raw.tobytes()}, order=order and order.encode()
    )
    found = wg.load(made)
    assert found.dtype.name == name and found.tolist() == [[0, 1, 1], [1, 0, 1]]


@pytest.mark.parametrize("name", ["uint16", "uint32", "uint64"])
def test_dtypes_that_torch_names_apart_from_the_storage(name):
    raw = np.array([1, 2], name).tobytes()
    none = Call("collections OrderedDict")
    storage = Stored("torch.storage UntypedStorage", "0", len(raw))
    arguments = (storage, 0, (2,), (1,), False, none, Global(f"torch {name}"))
    made = Call("torch._utils _rebuild_tensor_v3", *arguments)
    found = wg.load(archive(made, {"0": raw}))
    assert found.dtype.name == name and found.tolist() == [1, 2]
    with pytest.raises(ValueError, match="another byte order"):
        wg.load(archive(made, {"0": raw}, order=b"big"))


def test_strides_offsets_and_shared_memory():
    storage = Stored("torch FloatStorage", "0", 6)
    found = wg.load(archive([WHOLE, tensor(storage, 1, (2, 2), (1, 3), True)], {"0": FLOATS}))
    assert found[0].tolist() == [[0, 1, 2], [3, 4, 5]]
    assert found[1].tolist() == [[1, 4], [2, 5]] and found[1].requires_grad
    found[0].fill_(7.0)
    assert found[1].tolist() == [[7, 7], [7, 7]]
    row = wg.load(archive(tensor(storage, 3, (3,), (1,)), {"0": FLOATS}))
    assert row.untyped_storage().nbytes() == 24 and row.storage_offset() == 3


def test_conjugates_and_negatives_are_computed_once_for_a_storage():
    raw = np.array([1 + 2j, 3 - 1j], "<c8").tobytes()
    storage = Stored("torch ComplexFloatStorage", "0", 2)
    one = tensor(storage, 0, (2,), (1,), False, {"conj": True})
    other = tensor(storage, 1, (1,), (1,), False, {"conj": True, "neg": True})
    found = wg.load(archive([one, other, one], {"0": raw}))
    assert found[0].tolist() == [1 - 2j, 3 + 1j] and found[1].tolist() == [-3 - 1j]
    found[0].zero_()
    assert found[2].tolist() == [0, 0], "they share it"


def test_parameters_buffers_and_what_is_put_on_them():
    none = Call("collections OrderedDict")
    plain = Call("torch._utils _rebuild_parameter", WHOLE, True, none)
    tagged = Call("torch._utils _rebuild_parameter_with_state", WHOLE, False, none, {"tag": [1]})
    arguments = (Stored("torch FloatStorage", "0", 6), 0, (6,), (1,), False, none)
    rebuild = Global("torch._utils _rebuild_tensor_v2")
    buffer = Call(
        "torch._tensor _rebuild_from_type_v2",
        rebuild,
        Global("torch.nn.parameter Buffer"),
        arguments,
        {"persistent": False, "_is_buffer": True},
    )
    marked = Call("torch._tensor _rebuild_from_type_v2", rebuild, Global("torch Tensor"), arguments, {"foo": 3})
    found = wg.load(archive([plain, tagged, buffer, marked], {"0": FLOATS}))
    assert [type(each) for each in found] == [nn.Parameter, nn.Parameter, nn.Buffer, wg.Tensor]
    assert [each.requires_grad for each in found] == [True, False, False, False]
    assert found[1].tag == [1] and found[2].persistent is False and found[3].foo == 3


def test_plain_values():
    pairs = Call("collections OrderedDict", state={"_metadata": {"": {"version": 1}}})
    made = {
        "numbers": [1, -5, 2**70, 1.5, True, None, Call("__builtin__ complex", 1.0, 2.0)],
        "texts": ("a", "é", Call("_codecs encode", "a\xff", "latin1")),
        "sets": [Call("__builtin__ set", [1, 2]), Call("builtins frozenset", [(1, "a")])],
        "types": [Global("torch float32"), Call("torch Size", (1, 2)), Call("torch device", "cuda", 1)],
        "counter": Call("collections Counter", {"a": 2}),
        "order": pairs,
        ("a", 1): (),
        "default": Call("collections defaultdict", Global("__builtin__ list"), state=None),
        "array": Call("__builtin__ bytearray", Call("_codecs encode", "x", "latin1")),
    }
    found = wg.load(archive(made))
    assert found["numbers"] == [1, -5, 2**70, 1.5, True, None, 1 + 2j]
    assert found["texts"] == ("a", "é", b"a\xff") and found["sets"] == [{1, 2}, frozenset({(1, "a")})]
    assert found["types"] == [wg.float32, wg.Size([1, 2]), wg.device("cuda:1")]
    assert type(found["types"][1]) is wg.Size and found["counter"] == Counter("aa")
    assert type(found["order"]) is OrderedDict and found["order"]._metadata == {"": {"version": 1}}
    assert type(found["default"]) is defaultdict and found["default"]["new"] == []
    assert found["array"] == bytearray(b"x") and found["a", 1] == ()


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_opcodes_of_all_protocols(protocol):
    value = {"a": [1, 2.5, "é" * 300, b"ab", (1, (2, [3])), None, -(2**31), 2**80, {1, 2}, frozenset({3})], "b": {}}
    value["self"] = value["a"]
    found = wg.load(archive(pickle.dumps(value, protocol)))
    assert found == value and found["self"] is found["a"]


# ---- what is refused -------------------------------------------------------------------------------------------------


class Ran:
    """Whether a file has had something run."""

    happened = False


def run_by_a_file(*arguments):
    """What a malicious file would call."""
    Ran.happened = True
    return Ran


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (Call("os system", "echo"), "GLOBAL os.system was not an allowed global"),
        (Call(f"{__name__} run_by_a_file"), "run_by_a_file was not an allowed global"),
        (Call("__builtin__ eval", "1"), "GLOBAL __builtin__.eval was not"),
        (Call("builtins getattr", "", "x"), "GLOBAL .*'x' was not an allowed global"),
        (Call("torch.nn.modules.linear Linear"), "wengert.nn.modules.linear.Linear' may not be called"),
        (Call("torch load", "x"), "GLOBAL torch.load was not"),
        (Call("torch._utils _rebuild_nested_tensor"), "_rebuild_nested_tensor was not"),
        (b"cos\\x2e\nsystem\\h\n.", r"GLOBAL os\\x2e.system\\h was not an allowed global"),
        (Global("__builtin__ dict"), "__builtin__.dict' is a value, but files hold no functions"),
        ([{"a": (Global("torch.nn.parameter Parameter"),)}], "is a value, but files hold no functions"),
        (Call("__builtin__ list", [1]), "'__builtin__.list' may not be called"),
        (Call("torch float32"), "may not be called"),
        (b"c__builtin__\nset\n)\x81.", "'__builtin__.set' may not be created"),
        (b"ctorch\nTensor\n)\x81.", "may not be created"),
        (Call("torch._utils _rebuild_parameter", WHOLE, True, state={"a": 1}), "a Parameter may not have a state"),
    ],
)
def test_names_that_are_not_allowed_are_refused_by_name(value, says):
    with pytest.raises(pickle.UnpicklingError, match=f"(?s)Weights only load failed.*{says}"):
        wg.load(archive(value, {"0": FLOATS}))
    assert not Ran.happened


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (b"(i__builtin__\neval\n.", "INST"),
        (b"(c__builtin__\nset\no.", None),
        (b"P0\n.", "PERSID"),
        (b"\x82\x01.", "EXT1"),
        (b"c__builtin__\nset\n)}\x92.", "NEWOBJ_EX"),
        (b"\x97.", "NEXT_BUFFER"),
    ],
)
def test_opcodes_that_make_objects_in_other_ways_are_refused(text, name):
    with pytest.raises(pickle.UnpicklingError, match=f"the opcode {name or 'OBJ'} is not allowed"):
        wg.load(archive(text))


def test_what_this_can_name_can_be_seen_to_run_nothing():
    """Neither a reader of pickles, nor an import, nor a search for attributes by name from the file."""
    for name in ("opcodes", "allowed", "archive", "legacy", "tar", "trusted", "instances", "plain_objects"):
        tree = ast.parse((Path(opcodes.__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
        calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        assert not {
            each for each in calls if each.split(".")[-1] in ("Unpickler", "loads", "import_module", "eval", "exec")
        }
        imported = {
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module == "pickle"
            for alias in node.names
        }
        assert imported <= {"UnpicklingError"}


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (tensor(Stored("torch FloatStorage", "0", 5), 0, (2,), (1,)), "has 24 bytes, not 5 times 4"),
        (tensor(Stored("torch FloatStorage", "1", 6), 0, (2,), (1,)), "has no member 'archive/data/1'"),
        (tensor(Stored("torch FloatStorage", "0", 6), 5, (2,), (1,)), "takes 28 bytes, but its memory has 24"),
        (tensor(Stored("torch FloatStorage", "0", 6), 0, (2**62, 2), (0, 0)), "no tensor has the shape"),
        (tensor(Stored("torch FloatStorage", "0", 6), -1, (2,), (1,)), "offset is not a length"),
        (tensor(Stored("torch FloatStorage", "0", 6), 0, (2,), (-1,)), "strides are not a list of lengths"),
        (tensor(Stored("torch FloatStorage", "0", 6), 0, (2,), (1, 1)), "1 lengths and 2 strides"),
        (tensor(Stored("torch BoolStorage", "0", 24), 0, (24,), (1,)), "neither 0 nor 1"),
        (tensor(Stored("torch LongStorage", "0", 3), 0, (3,), (1,), True), "requires_grad is True"),
        ([WHOLE, tensor(Stored("torch IntStorage", "0", 6), 0, (2,), (1,))], "has two types"),
        (tensor(3, 0, (2,), (1,)), "not a typed storage"),
        (tensor(Stored("torch FloatStorage", "0", 6), 0, (1,), (1,), False, {"zip": 1}), "has the metadata"),
        (Call("torch Size", (1.5,)), "these are not lengths"),
        (Call("__builtin__ bytearray", 2**40), "not written in latin1"),
        (Call("collections OrderedDict", state={"__class__": 3}), "not an attribute that a program may set"),
        (Call("collections OrderedDict", state={"items": 3}), "not an attribute that a program may set"),
        (b"\x80\x02](K\x01e", "pickle exhausted|no end|not enough|at least one STOP"),
        (b"t.", "a missing mark"),
        (b"R.", "more values than there are"),
        (b"h\x01.", "was remembered as number 1"),
        (b"(]a.", "more values"),
        (b"]]s.", "more values"),
        (b"}]]s.", "a list cannot be a key"),
        (b"K\x01]a.", "takes? a .*int.* for a list"),
    ],
)
def test_what_does_not_fit_is_damage(value, says):
    with pytest.raises(ValueError, match=says):
        wg.load(archive(value, {"0": FLOATS}))


def test_keys_that_would_take_for_ever_to_hash_are_refused():
    twice = b")" + b"q\x00h\x00\x86" * 60
    with pytest.raises(ValueError, match="would take more than 32 bytes of memory, or steps"):
        wg.load(archive(b"}" + twice + b"Ns."))
    deep = b")" + b"\x85" * 10**6
    with pytest.raises(ValueError, match="a key is nested in more than 64 levels"):
        wg.load(archive(b"}" + deep + b"Ns."))


def test_devices_that_are_not_there():
    there = tensor(Stored("torch.cuda FloatStorage", "0", 6, "cuda:0"), 0, (6,), (1,))
    said = r"Attempting to deserialize object on a CUDA device but torch\.cuda\.is_available\(\) is False.*map_location"
    with pytest.raises(RuntimeError, match=said):
        wg.load(archive(there, {"0": FLOATS}))
    for wanted in ("cuda", "cuda:1", wg.device("cuda"), {"cuda:0": "cuda:1"}):
        with pytest.raises(RuntimeError, match=said):
            wg.load(archive(there, {"0": FLOATS}), map_location=wanted)
    for chosen in ("cpu", wg.device("cpu"), {"cuda:0": "cpu"}, lambda storage, location: storage):
        assert wg.load(archive(there, {"0": FLOATS}), map_location=chosen).tolist() == [0, 1, 2, 3, 4, 5]


def test_archives_of_another_kind_are_refused():
    with pytest.raises(RuntimeError, match="compressed or encrypted"):
        wg.load(archive([0] * 99, compression=zipfile.ZIP_DEFLATED))
    other = io.BytesIO()
    np.savez(other, a=np.ones(2))
    other.seek(0)
    with pytest.raises(RuntimeError, match=r"failed reading zip archive.*a zip file without"):
        wg.load(other)
    script = archive([1])
    with zipfile.ZipFile(script, "a") as made:
        made.writestr("archive/constants.pkl", b"")
    script.seek(0)
    with pytest.raises(RuntimeError, match="TorchScript"):
        wg.load(script)
    with pytest.raises(RuntimeError, match="byte order"):
        wg.load(archive([1], order=b"middle"))


def test_files_of_no_kind_that_is_known_are_refused_as_torch_refuses_them(tmp_path):
    with pytest.raises(EOFError, match="Ran out of input"):
        wg.load(io.BytesIO())
    for content in (b"<!DOCTYPE html><html></html>", b"version https://git-lfs.github.com/spec/v1", b"a", bytes(100)):
        (tmp_path / "f").write_bytes(content)
        for each in (tmp_path / "f", io.BytesIO(content)):
            with pytest.raises(pickle.UnpicklingError, match=f"Weights only load failed.*operand {content[0]}\\b"):
                wg.load(each)
    whole = archive([1]).getvalue()
    for cut in (10, len(whole) // 2):
        with pytest.raises(RuntimeError, match="PytorchStreamReader failed reading zip archive"):
            wg.load(io.BytesIO(whole[:cut]))


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        ("mps", "Storage device not recognized: mps"),
        (wg.device("mps"), "Storage device not recognized: mps"),
        ("hpu", "The HPU device module is not registered. If you are running on a CPU-only machine"),
        ("mtia", "Cannot execute getCurrentDevice.. without MTIA backend"),
        *(
            (other, rf"don't know how to restore data location of torch.storage.UntypedStorage .tagged with {other}\)")
            for other in ("nonsense", "", "CPU", "cpu:3", "xla", "vulkan")
        ),
        ("cuda:x", "Invalid device string: 'cuda:x'"),
        ({"cpu": "nonsense"}, "tagged with nonsense"),
    ],
)
def test_places_that_are_none_are_refused_as_torch_refuses_them(wanted, says):
    file = io.BytesIO()
    wg.save(wg.ones(1), file)
    file.seek(0)
    with pytest.raises(RuntimeError, match=says):
        wg.load(file, map_location=wanted)


@pytest.mark.parametrize("wanted", [3, b"cpu"])
def test_what_cannot_say_a_place_is_a_wrong_type(wanted):
    file = io.BytesIO()
    wg.save(wg.ones(1), file)
    file.seek(0)
    with pytest.raises(TypeError, match=r"map_location.*not (int|bytes)"):
        wg.load(file, map_location=wanted)


def outcome(content):
    """What comes out of bytes, or None if they are refused."""
    try:
        return wg.load(io.BytesIO(content))
    except (ValueError, pickle.UnpicklingError, RuntimeError) as error:
        assert str(error) and not isinstance(error, RecursionError)
        return None


SAMPLE = archive(
    {
        "w": [WHOLE, tensor(Stored("torch FloatStorage", "0", 6), 1, (2, 2), (1, 3), True)],
        "b": tensor(Stored("torch BoolStorage", "1", 2), 0, (2,), (1,)),
        "n": (1, 2.5, "a", Call("torch Size", (1,))),
    },
    {"0": FLOATS, "1": b"\0\1"},
).getvalue()
UNSTORED = {"suppress_health_check": [HealthCheck.too_slow], "deadline": None}


@settings(max_examples=500, **UNSTORED)
@given(st.data())
def test_any_byte_of_an_archive_may_be_wrong(data):
    content = bytearray(SAMPLE)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        content[at : at + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=4))
    outcome(bytes(content))
    assert not Ran.happened


PICKLE = b"\x80\x02" + code({"w": [WHOLE, Call("collections OrderedDict", state={"a": 1})], "n": (1, (2, "a"))}) + b"."
PIECES = [
    b"(",
    b")",
    b"]",
    b"}",
    b"t",
    b"\x85",
    b"\x86",
    b"\x87",
    b"R",
    b"b",
    b"Q",
    b"e",
    b"a",
    b"s",
    b"u",
    b"0",
    b"1",
    b"2",
    b"N",
    b"\x88",
    b"K\x01",
    b"q\x00",
    b"h\x00",
    b"\x8f",
    b"\x90",
    b"\x91",
    b"\x94",
    code("storage"),
    code(2**62),
    code(-1),
    code(Global("torch FloatStorage")),
    code(Global("torch._utils _rebuild_tensor_v2")),
    code(Global("torch Tensor")),
    code(Global("collections OrderedDict")),
    code(Global("__builtin__ set")),
    code(Global("torch Size")),
    code(1.5),
    code(Global(f"{__name__} run_by_a_file")),
    code(Global("__builtin__ eval")),
    code(Stored("torch FloatStorage", "0", 6)),
    code(Global("torch._tensor _rebuild_from_type_v2")),
    code(Global("collections defaultdict")),
    code((0, 1)),
    b"\x93",
]


@settings(max_examples=500, **UNSTORED)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_opcodes_in_any_order_run_nothing(pieces):
    outcome(archive(b"\x80\x02" + b"".join(pieces) + b".", {"0": FLOATS}).getvalue())
    assert not Ran.happened


@settings(max_examples=500, **UNSTORED)
@given(st.data())
def test_any_part_of_the_opcodes_may_be_wrong(data):
    content = bytearray(PICKLE)
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(2, len(content) - 1))
        change = data.draw(st.one_of(st.binary(max_size=3), st.sampled_from(PIECES)))
        content[at : at + data.draw(st.integers(0, 3))] = change
    outcome(archive(bytes(content), {"0": FLOATS}).getvalue())
    assert not Ran.happened


def test_no_memory_is_taken_beyond_the_file():
    large = 2**33
    made = [
        archive(tensor(Stored("torch FloatStorage", "0", large), 0, (large,), (1,)), {"0": FLOATS}),
        archive(tensor(Stored("torch FloatStorage", "0", 6), 0, (large,), (0,), False, {"neg": True}), {"0": FLOATS}),
        archive(b"\x8b" + struct.pack("<i", 2**31 - 1) + b"."),
        archive(b"\x8e" + struct.pack("<Q", 2**40) + b"."),
        archive(Call("__builtin__ bytearray", large)),
        archive(b"K\x01r" + struct.pack("<I", 2**32 - 1) + b"."),
    ]
    for value in (2**31 - 1, 2**32 - 2):  # the members' sizes in the directory, and where they lie
        content = bytearray(made[0].getvalue())
        entry = content.index(b"PK\x01\x02", content.index(b"data/0"))
        for at in (20, 24, 42):
            changed = content.copy()
            changed[entry + at : entry + at + 4] = struct.pack("<I", value)
            made.append(io.BytesIO(bytes(changed)))
    outcome(SAMPLE)
    tracemalloc.start()
    try:
        for each in made:
            outcome(each.getvalue())
        assert tracemalloc.get_traced_memory()[1] < 10**6
    finally:
        tracemalloc.stop()
