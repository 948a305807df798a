"""Makes torch's zip archives by hand, opcode by opcode."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile

import numpy as np

STORAGES = {
    "float64": "Double",
    "float32": "Float",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "int64": "Long",
    "int32": "Int",
    "int16": "Short",
    "int8": "Char",
    "uint8": "Byte",
    "bool": "Bool",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}


class Global(str):
    """A global name, "module name"."""


class Call:
    """A global name that is called, with what is put on the result."""

    def __init__(self, name, *arguments, state=None):
        self.name, self.arguments, self.state = Global(name), arguments, state


class Stored:
    """The persistent name of a storage."""

    def __init__(self, kind, key, count, location="cpu"):
        self.name: tuple[object, ...] = ("storage", Global(kind), key, location, count)


def code(value):
    """Opcodes of protocol 2 that push a value."""
    if isinstance(value, Call):
        built = code(value.name) + code(value.arguments) + b"R"
        return built if value.state is None else built + code(value.state) + b"b"
    if isinstance(value, Stored):
        return code(value.name) + b"Q"
    if isinstance(value, Global):
        return b"c" + value.replace(" ", "\n").encode() + b"\n"
    if value is None or isinstance(value, bool):
        return {None: b"N", True: b"\x88", False: b"\x89"}[value]
    if isinstance(value, int):
        raw = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
        return (b"\x8a" + bytes([len(raw)]) if len(raw) < 256 else b"\x8b" + struct.pack("<i", len(raw))) + raw
    if isinstance(value, float):
        return b"G" + struct.pack(">d", value)
    if isinstance(value, str):
        raw = value.encode()
        return b"X" + struct.pack("<I", len(raw)) + raw
    if isinstance(value, tuple):
        return b"(" + b"".join(map(code, value)) + b"t"
    if isinstance(value, list):
        return b"](" + b"".join(map(code, value)) + b"e"
    return b"}(" + b"".join(code(key) + code(each) for key, each in value.items()) + b"u"


def archive(content, members=(), *, order=b"little", root="archive", compression=zipfile.ZIP_STORED):
    """An archive as `torch.save` writes it; `content` are opcodes, or a value."""
    if not isinstance(content, bytes):
        content = b"\x80\x02" + code(content) + b"."
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as made:
        made.writestr(f"{root}/data.pkl", content)
        if order is not None:
            made.writestr(f"{root}/byteorder", order)
        for key, raw in dict(members).items():
            made.writestr(f"{root}/data/{key}", raw)
        made.writestr(f"{root}/version", b"3\n")
    file.seek(0)
    return file


def tensor(storage, offset, shape, strides, requires_grad=False, *more):
    """As torch writes a tensor."""
    none = Call("collections OrderedDict")
    return Call("torch._utils _rebuild_tensor_v2", storage, offset, shape, strides, requires_grad, none, *more)


FLOATS = np.arange(6, dtype="<f4").tobytes()
WHOLE = tensor(Stored("torch FloatStorage", "0", 6), 0, (2, 3), (3, 1))


MAGIC = b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19."
MACHINE = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}


class Part(Stored):
    """The persistent name of a storage in files without an archive; `part` is of a storage: key, offset, length."""

    def __init__(self, kind, key, count, location="cpu", part=None):
        super().__init__(kind, key, count, location)
        self.name = (*self.name, part)


def legacy(content, members=(), *, keys=None, machine=MACHINE, version=1001, start=MAGIC):
    """A file as `torch.save` wrote it before there were archives; `members` are pairs of a count and bytes by key."""
    if not isinstance(content, bytes):
        content = b"\x80\x02" + code(content) + b"."
    members = dict(members)
    file = io.BytesIO()
    file.write(start)
    for value in (version, machine):
        file.write(b"\x80\x02" + code(value) + b".")
    file.write(content + b"\x80\x02" + code([*members] if keys is None else keys) + b".")
    for count, raw in members.values():
        file.write(struct.pack("<q", count) + raw)
    file.seek(0)
    return file


def tar(members):
    """A tar archive."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:") as made:
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            made.addfile(info, io.BytesIO(content))
    file.seek(0)
    return file


def oldest(content, storages=(), parts=(), tensors=(), **others):
    """A file of torch's first format. `storages` are (number, device, kind, count, bytes), `parts` are (number, of
    which storage, offset, count), `tensors` are (number, storage, shape, strides, offset).
    """
    inner = [b"\x80\x02" + code(len(storages)) + b"."]
    for number, location, kind, count, raw in storages:
        inner.append(b"\x80\x02" + code((number, location, Global(kind))) + b"." + struct.pack("<q", count) + raw)
    inner.append(b"\x80\x02" + code(list(parts)) + b".")
    places = [b"\x80\x02" + code(len(tensors)) + b"."]
    for number, storage, shape, strides, offset in tensors:
        places.append(b"\x80\x02" + code((number, storage, Global("torch FloatTensor"))) + b".")
        places.append(struct.pack("<ii", len(shape), 0))
        places.append(struct.pack(f"<{len(shape) + len(strides) + 1}q", *shape, *strides, offset))
    members = {"storages": b"".join(inner), "tensors": b"".join(places), "pickle": b"\x80\x02" + content + b"."}
    return tar({name: raw for name, raw in {**members, **others}.items() if raw is not None})
