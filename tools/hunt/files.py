"""Killed saves, full disks, mutated files: the old file stays whole, a damaged one is refused as documented, and
what it takes is in proportion to its size.
"""

from __future__ import annotations

import copy
import io
import json
import os
import pickle
import random
import re
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

import wengert as wg
from tests.io.torch_archives import FLOATS, WHOLE, Call, Global, Part, Stored, archive, code, legacy, tensor
from tools.hunt import forked
from wengert.io import DamagedFileError, load_file, load_metadata, save_file, save_safetensors

NAME = "files"
LIMITS = forked.Limits(seconds=20.0, memory=256 << 20, tries=100)
DTYPES = ("float64", "float32", "float16", "int64", "int32", "int16", "int8", "uint8", "uint64", "bool", "complex64")
VALUES: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    2**31,
    2**62,
    2**63,
    2**64,
    10**30,
    0.5,
    1e308,
    "",
    "F32",
    "F64",
    "BOOL",
    "x" * 300,
    "\ud800",
    [],
    [0],
    [-1],
    [2**62, 2**62],
    [0, 2**63],
    [0, 0],
    [0, 8],
    [1] * 40,
    [1] * 100,
    [0] * 70,
    [[]],
    [None],
    ["a"],
    [1.0],
    {},
    {"a": 1},
    {"dtype": "F32", "shape": [], "data_offsets": [0, 4]},
)
"""What is put into a header's fields."""


def content(seed: int, most: int = 6) -> dict[str, Any]:
    """Random tensors by name."""
    draw = np.random.default_rng(seed)
    tensors = {}
    for at in range(draw.integers(1, most)):
        shape = tuple(draw.integers(0, 5, draw.integers(0, 4)))
        array = draw.integers(0, 2, shape).astype(draw.choice(DTYPES))
        tensors[f"t{at}"] = wg.from_numpy(np.asarray(array))
    return tensors


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two files' contents are equal to the bit."""
    return one.keys() == other.keys() and all(
        one[name].dtype == other[name].dtype
        and one[name].shape == other[name].shape
        and one[name].numpy().tobytes() == other[name].numpy().tobytes()
        for name in one
    )


def mutated(seed: int) -> str | None:
    """Damage a file; it must be refused in the documented errors, or what is read must be tensors."""
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        save_file(content(seed), path, {"made": "by a hunt"} if seed % 2 else None)
        path.write_bytes(draw.choice((flipped, cut, spliced, refilled, refilled))(draw, path.read_bytes()))
        for name, read in (("load_file", load_file), ("load_metadata", load_metadata)):
            try:
                for value in read(path).values():
                    value.numpy().sum() if isinstance(value, wg.Tensor) else value.encode()
            except (ValueError, OSError):
                continue
            except Exception as error:
                return f"{name} raises {type(error).__name__} for a damaged file: {str(error)[:80]}"
    return None


def flipped(draw: random.Random, data: bytes) -> bytes:
    """A few bits the other way."""
    changed = bytearray(data)
    for _ in range(draw.randint(1, 4)):
        changed[draw.randrange(min(len(changed), draw.choice((8, 40, 10000))))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def cut(draw: random.Random, data: bytes) -> bytes:
    """The beginning, or more than there was."""
    return data[: draw.randrange(len(data))] if draw.random() < 0.8 else data + data[: draw.randrange(len(data))]


def spliced(draw: random.Random, data: bytes) -> bytes:
    """A part of the file in another place."""
    start, end, at = (draw.randrange(len(data)) for _ in range(3))
    return data[:at] + data[min(start, end) : max(start, end)] + data[at:]


def refilled(draw: random.Random, data: bytes) -> bytes:
    """Another header, whose length fits."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    for _ in range(draw.choice((1, 1, 2, 3))):
        name = draw.choice([*header])
        entry = header[name]
        if isinstance(entry, dict) and entry and draw.random() < 0.8:
            key = draw.choice([*entry, "new"])
            if isinstance(entry.get(key), list) and entry[key] and draw.random() < 0.6:
                entry[key][draw.randrange(len(entry[key]))] = copy.deepcopy(draw.choice(VALUES))
            else:
                entry[key] = copy.deepcopy(draw.choice(VALUES))
        else:
            header[draw.choice((name, "new", "__metadata__"))] = copy.deepcopy(draw.choice(VALUES))
    text = json.dumps(header).encode()
    if draw.random() < 0.1:
        text = draw.choice(
            (b"[" * 100000, b"{" * 10 + b"}" * 10, b"null", b'{"a": NaN}', b"\xff" * 8, b"1" * 5000, text[:-1])
        )
    return len(text).to_bytes(8, "little") + text + data[8 + length :]


SIX = Stored("torch FloatStorage", "0", 6)
VIEW = tensor(Part("torch FloatStorage", "0", 6, part=("1", 2, 3)), 1, (2,), (1,))
PLAIN: tuple[Any, ...] = (
    1,
    2**70,
    1.5,
    "a",
    None,
    True,
    (1, (2,)),
    [3],
    {"a": (4,)},
    Call("collections OrderedDict", state={"a": 1}),
    Call("__builtin__ set", [1]),
    Call("torch Size", (1,)),
    Call("_codecs encode", "a", "latin1"),
)
"""Values that a file of torch's holds beside tensors."""


def file_for_load(draw: random.Random) -> bytes:
    """A file of one of the formats that `load` reads."""
    plain = draw.sample(PLAIN, 4)
    kind = draw.choice(("save", "archive", "legacy"))
    if kind == "archive":
        return archive({"w": [WHOLE, tensor(SIX, 1, (2, 2), (1, 3), True)], "p": plain}, {"0": FLOATS}).getvalue()
    if kind == "legacy":
        return legacy([VIEW, *plain], {"0": (6, FLOATS)}).getvalue()
    file, x = io.BytesIO(), wg.arange(6.0)
    value = {
        "x": x,
        "v": x[2:],
        "b": wg.ones(2, dtype=wg.bool),
        "n": (1, 2.5, "a", {1}, b"a", wg.float32, wg.Size([1])),
    }
    write = draw.choice((wg.save, save_safetensors))
    write({**value, "a": np.arange(3), "s": x.to_sparse(), "u": wg.ones(2).untyped_storage(), "c": {1j: [2**70]}}, file)
    return file.getvalue()


def replaced(draw: random.Random, data: bytes) -> bytes:
    """Another value somewhere in the container of a file of `save`; in others, other bytes."""
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length]) if data[8:9] == b"{" else {}
    if "__metadata__" not in header:
        return flipped(draw, data)
    text = header["__metadata__"]["wengert"]
    place = draw.choice([*re.finditer(r'"[^"]*"|-?[0-9.]+|null|true|false|[][]{2}', text)])
    text = text[: place.start()] + json.dumps(draw.choice(VALUES)) + text[place.end() :]
    changed = json.dumps({**header, "__metadata__": {"wengert": text}}).encode()
    return len(changed).to_bytes(8, "little") + changed + data[8 + length :]


def loaded(seed: int) -> str | None:
    """Damage a file of any format; it must be refused in the documented errors, or something is read."""
    draw = random.Random(seed)
    data = draw.choice((flipped, cut, spliced, replaced, replaced))(draw, file_for_load(draw))
    return problem_of(data)


NAMES = (
    "torch._utils _rebuild_tensor_v2",
    "torch._utils _rebuild_parameter",
    "torch._utils _rebuild_sparse_tensor",
    "torch._utils _rebuild_tensor_v3",
    "torch._tensor _rebuild_from_type_v2",
    "torch Size",
    "collections OrderedDict",
    "collections Counter",
    "collections defaultdict",
    "__builtin__ set",
    "__builtin__ frozenset",
    "torch FloatTensor",
    "__builtin__ bytearray",
    "__builtin__ complex",
    "_codecs encode",
    "torch device",
    "torch.nn.parameter Parameter",
)
GET = b"h\x09"
CONSTANTS = tuple(
    map(code, ("latin1", 0, True, None, (2,), (1,), {}, SIX, Global("torch Tensor"), Global("torch int64")))
)


def opcodes(draw: random.Random, depth: int = 0) -> bytes:
    """Opcodes that push a value, mostly one that is made of the value that `GET` pushes."""
    kind = draw.randrange(12)
    if depth > 3 or kind < 4:
        return draw.choice((GET, GET, draw.choice(CONSTANTS)))
    inner = b"".join(opcodes(draw, depth + 1) for _ in range(draw.randrange(1, 5)))
    if kind < 8:
        return code(Global(draw.choice(NAMES))) + b"(" + inner + b"tR"
    if kind == 8:
        return opcodes(draw, depth + 1) + opcodes(draw, depth + 1) + b"b"
    key = opcodes(draw, depth + 1)
    return draw.choice((b"(" + inner + b"t", b"}" + key + b"Ns", b"\x8f(" + inner + b"\x90", b"(" + inner + b"\x91"))


LARGE = (
    "a" * 9000,
    (*range(9000),),
    [*range(9000)],
    dict.fromkeys(range(9000)),
    2**99999,
    WHOLE,
    ((((*range(999),),),),),
)
"""Values that a few bytes name again."""


def amplified(seed: int) -> str | None:
    """Name a large value again and again in opcodes of any kind: memory and time stay in proportion to the file."""
    draw = random.Random(seed)
    use = opcodes(draw)
    content = b"\x80\x02" + code(draw.choice(LARGE)) + b"q\x090](" + use * draw.choice((1, 100, 3000)) + b"e."
    return problem_of(archive(content, {"0": FLOATS}).getvalue())


def problem_of(data: bytes) -> str | None:
    """What is wrong with loading a file."""
    start = time.process_time()
    try:
        wg.load(io.BytesIO(data))
    except (DamagedFileError, pickle.UnpicklingError, EOFError):
        pass
    except Exception as error:
        if type(error) is not RuntimeError or not re.search("device|location", str(error)):  # of a machine with a GPU
            return f"load raises {type(error).__name__} for a damaged file: {str(error)[:80]}"
    spent = time.process_time() - start
    return f"load takes {spent:.0f} s for {len(data)} bytes" if spent > 1 + len(data) / 10_000 else None


def killed(seed: int) -> str | None:
    """Kill a process that saves, at a random moment; readers see the old file or the new one, never a part."""
    draw = random.Random(seed)
    old, new = (
        {"a": wg.full((size,), size, dtype=wg.int64)} for size in (draw.randrange(1, 9), draw.randrange(9, 1 << 16))
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        save_file(old, path)
        child = os.fork()
        if child == 0:
            parent = os.getppid()
            while os.getppid() == parent:  # whoever kills that one need not know of this
                save_file(new, path)
                save_file(old, path)
        try:
            end = time.monotonic() + draw.uniform(0.001, 0.03)
            while time.monotonic() < end:
                problem = neither(path, old, new)
                if problem:
                    return "while it is saved, " + problem
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        problem = neither(path, old, new)
        return f"after a killed save, {problem}" if problem else left_over(path, old)


def neither(path: Path, old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """What is wrong with a file that should hold the one or the other."""
    try:
        loaded = load_file(path)
    except Exception as error:
        return f"loading raises {type(error).__name__}: {error}"
    return None if same(loaded, old) or same(loaded, new) else "the file holds neither the old nor the new"


def left_over(path: Path, tensors: dict[str, Any]) -> str | None:
    """What a killed save left in the folder when another one has run."""
    save_file(tensors, path)
    others = [name for name in os.listdir(path.parent) if name != path.name]
    return f"left-overs of a killed save stay: {len(others)} files" if others else None


def full(seed: int) -> str | None:
    """Save where there is no room: an OSError, the old file whole, nothing left over."""
    draw = random.Random(seed)
    old, new = content(seed), {"a": wg.zeros(draw.randrange(1, 4000), dtype=wg.float64)}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t"
        save_file(old, path)
        room, error = draw.randrange(0, 40000), None
        kept = resource.getrlimit(resource.RLIMIT_FSIZE)
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (room, kept[1]))
        try:
            save_file(new, path)
        except Exception as raised:
            error = raised
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, kept)
        if error is not None and not isinstance(error, OSError):
            return f"a full disk gives {type(error).__name__}: {error}"
        loaded = load_file(path)
        if not same(loaded, new if error is None else old):
            return "after a save to a full disk the file holds something else"
        return f"a failed save leaves {os.listdir(folder)}" if len(os.listdir(folder)) > 1 else None


def attempt(text: str) -> str | None:
    """Run one of the functions above."""
    return eval(text, globals())


def tries(seed: int) -> Iterator[str]:
    """Texts without end: mostly mutations, which are quick."""
    at = seed * 1_000_003
    while True:
        mutation = ("mutated", "loaded", "loaded", "amplified")[at % 4]
        yield f"killed({at})" if at % 25 == 0 else f"full({at})" if at % 10 == 3 else f"{mutation}({at})"
        at += 1


def hunt(seconds: float, seed: int) -> tuple[int, list[str]]:
    """See the package."""
    kept = tempfile.tempdir
    with tempfile.TemporaryDirectory() as tempfile.tempdir:  # what killed tries leave goes with it
        try:
            return forked.sift(tries(seed), attempt, seconds, LIMITS)
        finally:
            tempfile.tempdir = kept


if __name__ == "__main__":
    forked.main(hunt)
