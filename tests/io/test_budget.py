"""Files that name a large value again and again: memory and steps stay in proportion to their size."""

from __future__ import annotations

import io
import json
import pickle
import time
import tracemalloc

import numpy as np
import pytest

import wengert as wg
from tests.io.torch_archives import Call, Global, Stored, archive, code, tensor
from wengert.io import DamagedFileError, allowed
from wengert.io.budget import LEAST, RATE, Budget

MEMBER = 24_000
"""Bytes of the storages of the archives."""
SECONDS = 10
"""Of one file; without a budget most take minutes."""
STORED = {
    "float": (Stored("torch FloatStorage", "0", MEMBER // 4), np.zeros(MEMBER // 4, np.float32)),
    "long": (Stored("torch LongStorage", "1", MEMBER // 8), np.arange(MEMBER // 8)),
    "bool": (Stored("torch BoolStorage", "2", MEMBER), np.ones(MEMBER, np.uint8)),
    "bytes": (Stored("torch.storage UntypedStorage", "3", MEMBER), np.zeros(MEMBER, np.uint8)),
    "complex": (Stored("torch ComplexFloatStorage", "4", MEMBER // 8), np.zeros(MEMBER // 8, np.complex64)),
}
MEMBERS = {stored.name[2]: array.tobytes() for stored, array in STORED.values()}


def vector(kind, stride=1, count=None):
    """A tensor on a storage."""
    stored, array = STORED[kind]
    return tensor(stored, 0, (len(array) if count is None else count,), (stride,))


LARGE = {
    "text": "a" * 50_000,
    "bytes": Call("_codecs encode", "a" * 50_000, "latin1"),
    "number": 2 ** (8 * 50_000),
    "list": [*range(5000)],
    "tuple": (*range(5000),),
    "pairs": [(number, None) for number in range(2000)],
    "dict": {number: number for number in range(2000)},
    "names": {f"a{number}": number for number in range(2000)},
    "set": Call("__builtin__ set", [*range(2000)]),
    "nested": ((((*range(5000),),),),),
    "floats": vector("float"),
    "numbers": vector("long"),
    "booleans": vector("bool"),
    "expanded": vector("long", 0, 2**40),
    "storage": STORED["float"][0],
}
"""Values that take few bytes where they come up again."""


CODE = {name: code(value) for name, value in LARGE.items()}


def repeated(memo, use, times):
    """An archive that pushes a value, and then uses it so often; all results are kept in a list."""
    members = MEMBERS if b"Storage" in memo else {}
    return archive(b"\x80\x02" + memo + b"r\xff\xff\x00\x000](" + use * times + b"e.", members)


GET = b"j\xff\xff\x00\x00"


def cost(file, seconds=SECONDS):
    """The outcome of loading a file, the peak of memory that Python took meanwhile, and whether time was short."""
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    tracemalloc.start()
    begin = time.process_time()
    try:
        outcome = wg.load(file)
    except (DamagedFileError, pickle.UnpicklingError) as error:
        outcome = error
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert time.process_time() - begin < seconds
    return outcome, peak / size


FUNCTIONS = {function: name for name, function in allowed.CALLS.items()}.values()
OTHERS = [((), ()), ((), ("latin1",)), ((), (0, (2,), (1,), False, None)), ((None,), ())]
"""What stands before the large argument, and behind it."""


CALLED = [*FUNCTIONS, "torch.FloatTensor", "torch.nn.parameter.Parameter"]


@pytest.mark.parametrize("function", CALLED)
def test_calls_with_a_large_argument(function, exhaustive):
    """Every function with every argument, and between the others in turn; with `--all` between each of them."""
    named = code(Global(" ".join(function.rsplit(".", 1))))
    for turn, content in enumerate(CODE.values(), CALLED.index(function)):
        for before, behind in OTHERS if exhaustive else [OTHERS[turn % len(OTHERS)]]:
            arguments = code(before)[1:-1] + GET + code(behind)[1:-1]
            _, share = cost(repeated(content, named + b"(" + arguments + b"tR", 300))
            assert share < 4 * RATE


@pytest.mark.parametrize(
    ("name", "use"),
    [
        *((name, b"}" + GET + b"Ns") for name in LARGE),
        *((name, b"\x8f(" + GET + b"\x90") for name in LARGE),
        *((name, b"(" + GET + b"\x91") for name in LARGE),
        *((name, GET + b"\x85\x85\x91") for name in LARGE),
        *((name, code(Global("collections OrderedDict")) + b")R" + GET + b"b") for name in LARGE),
        *((name, code(Global("torch FloatTensor")) + b")R" + GET + b"b") for name in LARGE),
        *((name, GET + b"Q") for name in LARGE),
        *((name, GET + GET + b"\x93") for name in LARGE),
    ],
)
def test_opcodes_with_a_large_value(name, use):
    _, share = cost(repeated(CODE[name], use, 500))
    assert share < 4 * RATE


@pytest.mark.parametrize(
    ("memo", "use", "times"),
    [
        ("a" * 10**6, code(Global("__builtin__ bytearray")) + GET + code("latin1") + b"\x86R", 2000),
        ((*range(9000),), b"}" + GET + b"Ns", 10_000),
        ([*range(9000)], code(Global("__builtin__ set")) + GET + b"\x85R", 10_000),
        ([*range(9000)], code(Global("torch Size")) + GET + b"\x85R", 10_000),
        ({number: number for number in range(9000)}, code(Global("collections Counter")) + GET + b"\x85R", 10_000),
        ("a" * 10**6, code(Global("_codecs encode")) + GET + code("latin1") + b"\x86R", 2000),
        (2 ** (8 * 10**6), b"}" + GET + b"Ns", 10_000),
    ],
    ids=["bytearray", "hash of a tuple", "set", "Size", "Counter", "encode", "hash of a number"],
)
def test_what_would_take_gigabytes_or_minutes_is_refused(memo, use, times):
    outcome, share = cost(repeated(code(memo), use, times))
    assert isinstance(outcome, DamagedFileError) and share < 4 * RATE
    assert "it would take more than 32 bytes of memory, or steps, for each of its own bytes" in str(outcome)


MODULUS = 2**61 - 1


@pytest.mark.parametrize(
    "keys",
    [
        [number * MODULUS for number in range(1, 6_000)],
        [Call("__builtin__ complex", -1000003 * number, number) for number in range(6_000)],
        [(number * MODULUS,) for number in range(1, 6_000)],
    ],
    ids=["int", "complex", "tuple"],
)
@pytest.mark.parametrize("kind", ["dict", "set", "frozenset"])
def test_keys_that_were_chosen_to_have_one_hash(keys, kind):
    keys = b"".join(code(key) + (b"N" if kind == "dict" else b"") for key in keys)
    content = {"dict": b"}(" + keys + b"u.", "set": b"\x8f(" + keys + b"\x90.", "frozenset": b"(" + keys + b"\x91."}[
        kind
    ]
    outcome, share = cost(archive(content))
    assert isinstance(outcome, DamagedFileError) and share < 4 * RATE


def test_numbers_of_the_memo_are_not_chosen():
    content = b"".join(b"Np%d\n0" % (number * MODULUS) for number in range(1, 10_000))
    outcome, _ = cost(archive(content + b"N."))
    assert isinstance(outcome, DamagedFileError) and "remembered under a number" in str(outcome)


def test_what_programs_write_is_far_from_its_budget():
    names = [f"layer{number}.weight" for number in range(300)]
    values = [
        [set(names) for _ in range(200)],
        [frozenset(names) for _ in range(200)],
        [{*range(200)} for _ in range(200)],
        [dict.fromkeys(names) for _ in range(200)],
        {(number, "a"): number for number in range(10_000)},
        [bytearray(b"\xff" * 10**5) for _ in range(10)],
        [b"\xff" * 10**5, b"a" * 10**5],
        {1.5 * number for number in range(10_000)},
        {complex(x, y) for x in range(100) for y in range(100)},
        {2**64 + number for number in range(10_000)},
        [set() for _ in range(1000)],
    ]
    for value in values:
        for protocol in range(2, 6):
            content = pickle.dumps(value, protocol)
            budget = Budget(len(content))
            whole = budget.left
            machine = allowed_machine(budget)
            assert machine.run(io.BytesIO(content)) == value
            assert budget.left > whole / 4


def allowed_machine(budget):
    """An interpreter of opcodes without storages."""
    from wengert.io.opcodes import Machine

    return Machine(allowed.Allowed(budget, budget), None, budget)


# ---- tensors ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["float", "complex", "bytes"])
def test_conjugates_and_negatives_of_one_storage(kind):
    stored = STORED[kind][0]
    uses = [
        Call("torch._utils _rebuild_tensor_v3", stored, 0, (2,), (1,), False, None, Global(f"torch {dtype}"), signs)
        for dtype in ("float16", "float32", "float64", "complex64", "complex128")
        for signs in ({"conj": True}, {"neg": True}, {"conj": True, "neg": True})
    ]
    for use in uses:
        _, share = cost(archive([use] * 100, MEMBERS))
        assert share < RATE


@pytest.mark.parametrize("indices", [vector("long"), vector("long", 0, 2**40), vector("long", 0, 12)])
@pytest.mark.parametrize("values", [vector("float"), vector("float", 0, 2**40), vector("float", 0, 12)])
@pytest.mark.parametrize("shape", [(2**40,), (2**62, 2**62), (10**5, 10**5)])
def test_sparse_tensors_of_parts_that_are_used_again(indices, values, shape):
    names = {"torch.sparse_coo": 1, "torch.sparse_csr": 2, "torch.sparse_csc": 2, "torch.sparse_bsr": 2}
    for layout, count in names.items():
        stored = indices.arguments[0]
        two = tensor(stored, 0, (len(shape), indices.arguments[2][0]), (0, indices.arguments[3][0]))
        parts = (two if count == 1 else indices, *[indices] * (count - 1), values, Call("torch Size", shape))
        memo = code((Call("torch.serialization _get_layout", layout), parts))
        use = code(Global("torch._utils _rebuild_sparse_tensor")) + GET + b"R"
        content = b"\x80\x02" + memo + b"r\xff\xff\x00\x000](" + use * 300 + b"e."
        _, share = cost(archive(content, MEMBERS))
        assert share < RATE


def test_many_views_of_booleans_are_read_quickly():
    views = [tensor(STORED["bool"][0], 0, (MEMBER,), (1,))] * 1000
    outcome, _ = cost(archive(views, MEMBERS))
    assert len(outcome) == 1000 and outcome[-1].all()


# ---- files of `save` -------------------------------------------------------------------------------------------------


def file_of(tree, **more):
    """A file with a container that says anything, and one tensor `0` of `MEMBER` bytes."""
    file = io.BytesIO()
    text = json.dumps({"version": 1, "object": tree, **more})
    for piece in wg.io.weights.content_of({"0": np.ones(MEMBER, np.uint8)}, {"wengert": text}):
        file.write(bytes(piece))
    return file


STRIDED = {"storage": "0", "dtype": "int64", "offset": 0, "shape": [2**40], "strides": [0]}


@pytest.mark.parametrize(
    "tree",
    [
        {"array": ["0", "|u1", [MEMBER], "C"]},
        {"array": ["0", "<U1", [MEMBER // 4], "C"]},
        {"scalar": ["0", f"|S{MEMBER}", [], "C"]},
        {
            "tensor": {
                "indices": {**STRIDED, "shape": [1, 2**40], "strides": [0, 0]},
                "values": STRIDED,
                "shape": [2**40],
                "coalesced": True,
            }
        },
        {
            "tensor": {
                "bounds": STRIDED,
                "indices": STRIDED,
                "values": STRIDED,
                "shape": [2**40, 2**40],
                "layout": "sparse_csr",
            }
        },
    ],
    ids=["array", "texts", "scalar", "sparse", "compressed"],
)
def test_memory_that_is_copied_or_looked_through_again_and_again(tree):
    outcome, share = cost(file_of([tree] * 10_000))
    assert isinstance(outcome, DamagedFileError) and share < 4 * RATE


def test_a_part_stands_in_one_place():
    parts = [[{"part": number}, {"part": number}] for number in range(1, 60)]
    outcome, _ = cost(file_of({"part": 0}, parts=[*parts, []]))
    assert isinstance(outcome, DamagedFileError) and "or it was there before" in str(outcome)


@pytest.mark.parametrize(
    "keys",
    [
        [{"int": hex(number * MODULUS)} for number in range(1, 6_000)],
        [{"complex": [-1000003 * number, number]} for number in range(6_000)],
        [{"tuple": [{"int": hex(number * MODULUS)}]} for number in range(1, 6_000)],
    ],
    ids=["int", "complex", "tuple"],
)
def test_keys_of_one_hash_in_files_of_save(keys):
    for tree in ({"dict": [[key, 0] for key in keys]}, {"set": keys}, {"frozenset": keys}):
        outcome, share = cost(file_of(tree))
        assert isinstance(outcome, DamagedFileError) and share < 4 * RATE


def test_a_budget_is_a_share_of_the_size():
    budget = Budget(10)
    budget.spend(LEAST + 10 * RATE)
    with pytest.raises(ValueError, match="it would take more than 32 bytes"):
        budget.spend(1)
