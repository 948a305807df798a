"""Modules, optimisers and other objects in files: what `save` writes is what torch writes, and comes back."""

from __future__ import annotations

import argparse
import base64
import collections
import dataclasses
import datetime
import decimal
import enum
import functools
import io
import pathlib
import pickle
import pickletools
import types
import zipfile
import zlib

import numpy as np
import pytest
from wengert.serialization import (
    add_safe_globals,
    clear_safe_globals,
    get_safe_globals,
    get_unsafe_globals_in_checkpoint,
    safe_globals,
)

import wengert as wg
from tests.io.torch_modules import FILES
from wengert import nn, optim
from wengert.io import trusted


@pytest.fixture(autouse=True)
def no_names():
    """Each test begins and ends with nothing allowed."""
    clear_safe_globals()
    yield
    clear_safe_globals()


def saved(value):
    """A file with a value."""
    file = io.BytesIO()
    wg.save(value, file)
    file.seek(0)
    return file


def again(value, *named, **options):
    """What comes out of a file into which a value was put."""
    with safe_globals(list(named)):
        return wg.load(saved(value), **options)


def names_in(file):
    """The global names in an archive."""
    with zipfile.ZipFile(file) as archive:
        opcodes = archive.read("archive/data.pkl")
    return {
        str(argument).replace(" ", ".") for code, argument, _ in pickletools.genops(opcodes) if code.name == "GLOBAL"
    }


LAYERS = {
    "linear": (lambda: nn.Linear(3, 2), (4, 3)),
    "sequential": (lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Dropout(0.0), nn.Linear(4, 2)), (4, 3)),
    "convolutions": (lambda: nn.Sequential(nn.Conv2d(1, 2, 3, padding="same"), nn.BatchNorm2d(2)), (2, 1, 4, 4)),
    "transposed": (lambda: nn.ConvTranspose1d(2, 2, 2), (1, 2, 5)),
    "normalised": (lambda: nn.Sequential(nn.LayerNorm(3), nn.GELU(), nn.RMSNorm(3), nn.Softmax(1)), (4, 3)),
    "lists": (lambda: nn.ModuleDict({"a": nn.ModuleList([nn.Tanh()]), "b": nn.ParameterList([wg.ones(2)])}), None),
    "encoder": (lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0), (3, 1, 4)),
    "encoder of gelu": (lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, activation="gelu"), (3, 1, 4)),
    "lstm": (lambda: nn.LSTM(3, 2, 2, bidirectional=True), (4, 1, 3)),
    "cell": (lambda: nn.GRUCell(3, 2), (4, 3)),
    "attention": (lambda: nn.MultiheadAttention(4, 2), None),
    "weight_norm": (lambda: nn.utils.weight_norm(nn.Linear(3, 2)), (4, 3)),
    "averaged": (lambda: optim.swa_utils.AveragedModel(nn.Linear(3, 2)), (4, 3)),
    "loss": (lambda: nn.CrossEntropyLoss(weight=wg.ones(3)), None),
}


def steps(module, optimizer, shape, count=3):
    """The losses of some steps of training."""
    losses = []
    for at in range(count):
        x = wg.linspace(-1, 1, int(np.prod(shape))).reshape(shape) * (at + 1)
        result = module(x)
        loss = (result[0] if isinstance(result, tuple) else result).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


@pytest.mark.filterwarnings("ignore:`torch.nn.utils.weight_norm` is deprecated")
@pytest.mark.parametrize("kind", LAYERS)
def test_a_layer_comes_back_and_goes_on_training_as_before(kind):
    make, shape = LAYERS[kind]
    module = make()
    found = again(module)
    assert type(found) is type(module) and repr(found) == repr(module)
    state, other = module.state_dict(), found.state_dict()
    assert list(state) == list(other) and all(state[name].tolist() == other[name].tolist() for name in state)
    if shape is not None:
        one, two = (optim.SGD(each.parameters(), lr=0.01, momentum=0.9) for each in (module, found))
        assert steps(module, one, shape) == steps(found, two, shape)


ARGUMENTS = [
    *((), (2,), (2, 3), (2, 2, 2), (4, 2), (4, 2, 8), (2, 3, 4), (4, 10, [3]), ([2, 3],), (1, (2, 1)), (None,)),
    *((wg.tanh,), ([wg.ones(1)],)),
]
"""What layers are made of: the first that a class takes."""
ABSTRACT = {"RNNBase", "RNNCellBase", "TransformerEncoder", "TransformerDecoder"}


def made(cls):
    """A layer of a class; None if it takes none of `ARGUMENTS`."""
    for arguments in ARGUMENTS:
        try:
            return cls(*arguments)
        except Exception:
            continue
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(name for name, cls in trusted.classes().items() if issubclass(cls, nn.Module)))
def test_every_class_of_layers(name):
    cls = trusted.classes()[name]
    module = made(cls)
    if module is None:
        assert cls.__name__ in ABSTRACT
        return
    if cls.__name__.startswith("Lazy"):
        with pytest.raises(TypeError, match="that has not been called cannot be saved"):
            saved(module)
        return
    found = again(module)
    assert type(found) is cls and repr(found) == repr(module)
    assert {key: type(value) for key, value in vars(found).items()} == {
        key: type(value) for key, value in vars(module).items()
    }
    assert name in names_in(saved(module)) or name in trusted.OLDER


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "NAdam", "Rprop", "Adafactor"])
def test_a_module_and_its_optimizer_share_their_parameters(name):
    module = nn.Linear(3, 2)
    optimizer = getattr(optim, name)(module.parameters(), lr=0.01)
    steps(module, optimizer, (4, 3))
    found = again({"epoch": 3, "model": module, "optimizer": optimizer})
    assert found["optimizer"].param_groups[0]["params"][0] is found["model"].weight
    more = steps(module, optimizer, (4, 3))
    assert steps(found["model"], found["optimizer"], (4, 3)) == more


def test_a_scheduler_goes_on_as_before():
    optimizer = optim.SGD([nn.Parameter(wg.ones(1))], lr=1.0)
    scheduler = optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.5)
    optimizer.step()
    scheduler.step()
    found = again({"optimizer": optimizer, "scheduler": scheduler})
    assert found["scheduler"].optimizer is found["optimizer"]
    for each, other in ((optimizer, scheduler), (found["optimizer"], found["scheduler"])):
        each.step()
        other.step()
    assert found["scheduler"].get_last_lr() == scheduler.get_last_lr() == [0.5]


def test_tied_weights_modes_and_buffers_are_kept():
    module = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2), nn.BatchNorm1d(2))
    module[1].weight = module[0].weight
    module[0].bias.requires_grad_(False)
    module[0].register_buffer("passing", wg.ones(1), persistent=False)
    module[2](wg.ones(3, 2))
    module.eval()
    found = again(module)
    assert found[0].weight is found[1].weight and len(list(found.parameters())) == len(list(module.parameters()))
    assert not found.training and not found[0].bias.requires_grad and "0.passing" not in found.state_dict()
    assert found[0].passing.tolist() == [1.0] and found[2].num_batches_tracked.item() == 1
    assert type(found[0].weight) is nn.Parameter


def test_names_in_the_file_are_torchs():
    module = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    names = names_in(saved({"net": module, "opt": optim.Adam(module.parameters()), "f": wg.tanh, "t": wg.float32}))
    assert {
        "torch.nn.modules.container.Sequential", "torch.nn.modules.linear.Linear", "torch.optim.adam.Adam",
        "torch._utils._rebuild_parameter", "torch._utils._rebuild_tensor_v2", "torch.FloatStorage", "torch.tanh",
        "torch.float32",
    } <= names  # fmt: skip
    assert not any(name.startswith("wengert") for name in names)


def test_the_memory_of_storages_is_written_once_and_aligned():
    base = wg.arange(100.0)
    file = saved([nn.Identity(), base, base[10:20], base.to(wg.uint16), base.to_sparse()])
    with zipfile.ZipFile(file) as archive:
        sizes = {info.filename: info.file_size for info in archive.infolist() if "/data/" in info.filename}
        assert archive.testzip() is None and sizes["archive/data/0"] == 400 and len(sizes) == 4
        for info in archive.infolist():
            file.seek(info.header_offset + 26)
            raw = file.read(4)
            start = info.header_offset + 30 + int.from_bytes(raw[:2], "little") + int.from_bytes(raw[2:], "little")
            assert start % 64 == 0
    file.seek(0)
    _, whole, part, short, sparse = wg.load(file)
    whole.zero_()
    assert part.tolist() == [0.0] * 10 and short.dtype is wg.uint16 and short.tolist() == list(range(100))
    assert sparse.layout is wg.sparse_coo and sparse.to_dense().tolist() == list(range(100))


def test_a_file_by_name_holds_a_folder_of_that_name(tmp_path):
    path = tmp_path / "network.pt"
    wg.save(nn.Linear(2, 2), path)
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist()[0] == "network/data.pkl"
    assert [each.name for each in tmp_path.iterdir()] == ["network.pt"]
    assert type(wg.load(path, weights_only=True)) is type(wg.load(path, weights_only=False)) is nn.Linear


# ---- other objects ---------------------------------------------------------------------------------------------------


class Colour(enum.Enum):
    RED = 1


@dataclasses.dataclass
class Config:
    width: int = 3
    name: str = "small"


class Slotted:
    __slots__ = ("x",)


Point = collections.namedtuple("Point", "x y")
MOMENT = datetime.datetime(2024, 1, 2, 3, 4, 5, 6, tzinfo=datetime.UTC)


@pytest.mark.parametrize(
    "value",
    [
        argparse.Namespace(lr=0.1, layers=[1, 2]), types.SimpleNamespace(a=1), pathlib.Path("a") / "b",
        pathlib.PurePosixPath("/x"), pathlib.PureWindowsPath("c:/x"), MOMENT, MOMENT.date(), MOMENT.time(),
        datetime.timedelta(1, 2, 3), datetime.timezone(datetime.timedelta(hours=2), "there"), decimal.Decimal("1.50"),
        slice(1, None, 2), range(3), collections.deque([1, 2], 3), np.float32(1.5), np.int64(-1), np.bool_(True),
        np.str_("é"), np.datetime64("2020-01-01"), np.dtype(">f8"), np.dtype("U7"), np.dtype("M8[3ns]"),
        functools.partial(nn.LayerNorm, eps=1e-6), functools.partial(wg.add, alpha=2), wg.tanh, nn.functional.relu,
        nn.init.xavier_uniform_, nn.GELU, wg.sparse_csr, wg.device("cuda:1"), wg.Size([2]), wg.bfloat16,
    ],
)  # fmt: skip
def test_objects_of_python_and_numpy(value):
    found = again([nn.Identity(), value])[1]
    assert type(found) is type(value)
    if isinstance(value, functools.partial):
        assert (found.func, found.args, found.keywords) == (value.func, value.args, value.keywords)
    else:
        assert found == value or found is value


@pytest.mark.parametrize("dtype", ["f8", "<f2", ">i4", "u1", "?", "c16", "U3", "S2", "M8[D]", "m8[us]"])
@pytest.mark.parametrize("order", "CF")
@pytest.mark.parametrize("shape", [(2, 3), (0, 2), ()])
def test_arrays_of_numpy(dtype, order, shape):
    value = np.asarray(np.arange(6)[: int(np.prod(shape))].reshape(shape).astype("i8").astype(dtype), order=order)
    found = again([nn.Identity(), value])[1]
    assert found.shape == value.shape and found.dtype == value.dtype.newbyteorder("=") and (found == value).all()


def test_results_of_operators_and_packed_sequences():
    values = [wg.sort(wg.tensor([2.0, 1.0])), nn.utils.rnn.pack_sequence([wg.ones(3, 2), wg.ones(2, 2)])]
    for value, found in zip(values, again([*values, nn.Identity()])):
        assert type(found) is type(value)
        assert [None if part is None else part.tolist() for part in found] == [
            None if part is None else part.tolist() for part in value
        ]


def test_buffers_lazy_parameters_and_attributes_of_tensors():
    tensor = wg.ones(2)
    tensor.note = "a"
    parameter = nn.Parameter(wg.ones(2))
    parameter.note = "b"
    values = [nn.Identity(), tensor, parameter, nn.Buffer(wg.ones(1), persistent=False), nn.UninitializedParameter()]
    _, tensor, parameter, buffer, lazy = again(values)
    assert (tensor.note, parameter.note) == ("a", "b") and type(parameter) is nn.Parameter
    assert isinstance(buffer, nn.Buffer) and buffer.persistent is False
    assert isinstance(lazy, nn.UninitializedParameter)


def test_a_scaler_and_datasets():
    data = wg.utils.data.TensorDataset(wg.arange(4.0))
    values = [wg.amp.GradScaler("cpu", init_scale=8.0), wg.utils.data.Subset(data, [1, 3])]
    scaler, subset = again(values, wg.utils.data.Subset, wg.utils.data.TensorDataset)
    assert scaler.get_scale() == 8.0 and [each[0].item() for each in subset] == [1.0, 3.0]


# ---- classes and functions of a program ------------------------------------------------------------------------------


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.act = wg.tanh
        self.width = 5

    def forward(self, x):
        return self.act(self.layer(x))


class Counted(nn.Linear):
    def __setstate__(self, state):
        super().__setstate__(state)
        self.loaded = True


def double(module, inputs, result):
    return result * 2


class Mine(wg.Tensor):
    pass


LINE = r"wengert\.serialization\.add_safe_globals\(\[{}\]\)"
HERE = __name__


def test_a_module_of_a_program_is_refused_with_the_line_to_add():
    file = saved({"net": Network(), "config": Config()})
    for options in ({}, {"weights_only": True}):
        file.seek(0)
        with pytest.raises(pickle.UnpicklingError, match=LINE.format(f"{HERE}.Network, {HERE}.Config")) as caught:
            wg.load(file, **options)
        assert "weights_only=False" not in str(caught.value)
    file.seek(0)
    with pytest.raises(pickle.UnpicklingError) as caught:
        wg.load(file, weights_only=False)
    assert str(caught.value).count("weights_only=False") == 1
    file.seek(0)
    assert get_unsafe_globals_in_checkpoint(file) == [f"{HERE}.Network", f"{HERE}.Config"]


def test_what_a_program_has_named_is_made():
    net = Network()
    values = [net, Config(7), Colour.RED, Point(1, 2)]
    found = again(values, Network, Config, Colour, Point)
    assert found[1:] == values[1:] and type(found[3]) is Point
    x = wg.tensor([1.0, 2.0])
    assert found[0](x).tolist() == net(x).tolist() and found[0].width == 5
    slotted = Slotted()
    slotted.x = 3
    assert again([slotted], Slotted)[0].x == 3
    assert again(Counted(1, 1), Counted).loaded
    mine = again([wg.ones(2).as_subclass(Mine)], Mine)[0]
    assert type(mine) is Mine and mine.tolist() == [1.0, 1.0]


def test_names_are_added_listed_and_taken_back():
    assert get_safe_globals() == []
    add_safe_globals([Network])
    with safe_globals([Config, (double, "elsewhere.double")]):
        assert set(map(str, get_safe_globals())) == set(map(str, [Network, Config, (double, "elsewhere.double")]))
    assert get_safe_globals() == [Network]
    clear_safe_globals()
    assert get_safe_globals() == []
    for wrong in ("name", 5, (5, "five")):
        with pytest.raises(TypeError, match="expected classes and functions"):
            add_safe_globals([wrong])


def test_hooks_are_refused_until_the_program_names_them():
    module = nn.Linear(1, 1)
    module.register_forward_hook(double)
    x = wg.ones(1)
    with pytest.raises(pickle.UnpicklingError, match=LINE.format(f"{HERE}.double")):
        again(module)
    found = again(module, double)
    assert found(x).item() == module(x).item()
    (key,) = found._forward_hooks
    found._forward_hooks.pop(key)
    assert found(x).item() == module(x).item() / 2


def test_errors_of_a_programs_own_class_are_its_own():
    class_error = saved([nn.Identity(), Colour.RED])
    wrong = class_error.getvalue()
    assert b"Colour" in wrong
    with safe_globals([(lambda value: 1 / 0, f"{HERE}.Colour")]), pytest.raises(ZeroDivisionError):
        wg.load(class_error)


# ---- files of torch --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FILES)
def test_a_module_that_torch_wrote_goes_on_training_as_there(name):
    text, after = FILES[name]
    found = wg.load(io.BytesIO(zlib.decompress(base64.b85decode(text))), weights_only=False)
    module, optimizer = found["net"], found["opt"]
    assert isinstance(module, nn.Module) and isinstance(optimizer, optim.Optimizer)
    assert found.get("sch", None) is None or found["sch"].optimizer is optimizer
    x, losses = wg.linspace(-1, 1, 8).reshape(4, 2), []
    for _ in after:
        optimizer.zero_grad()
        result = module(x)
        loss = (result[0] if isinstance(result, tuple) else result).square().sum()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == pytest.approx(after, abs=2e-5)
