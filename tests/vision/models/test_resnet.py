"""Residual networks: their layout of weights, published files, and a frozen base as the seeds of the project use it."""

from __future__ import annotations

import urllib.error
from pathlib import Path

import pytest

import wengert as wg
import wengert.vision as torchvision
from wengert import nn, optim
from wengert.autograd import Variable
from wengert.autograd.profiler import profile
from wengert.vision.models import ResNet, ResNet18_Weights, resnet18, resnet34, resnet50
from wengert.vision.models.resnet import BasicBlock, Bottleneck

LAYOUT = [  # of torchvision's state_dict: the number of entries, of parameters, and some names with their shapes
    (resnet18, 122, 11_689_512, {"layer2.0.downsample.0.weight": (128, 64, 1, 1), "fc.weight": (1000, 512)}),
    (resnet34, 218, 21_797_672, {"layer4.2.conv2.weight": (512, 512, 3, 3), "bn1.running_var": (64,)}),
    (resnet50, 320, 25_557_032, {"layer1.0.conv3.weight": (256, 64, 1, 1), "layer4.2.bn3.bias": (2048,)}),
]


@pytest.mark.parametrize(("make", "entries", "parameters", "shapes"), LAYOUT)
def test_weights_are_laid_out_as_torchvisions(make, entries, parameters, shapes) -> None:
    with wg.device("meta"):
        model = make()
    state = model.state_dict()
    assert len(state) == entries
    assert sum(parameter.numel() for parameter in model.parameters()) == parameters
    assert {name: tuple(state[name].shape) for name in shapes} == shapes
    assert next(iter(state)) == "conv1.weight" and list(state)[-1] == "fc.bias"


@pytest.mark.parametrize(("block", "layers"), [(BasicBlock, (1, 1, 1, 1)), (Bottleneck, (1, 2, 1, 1))])
def test_images_of_any_size_give_logits_and_gradients(block, layers) -> None:
    model = ResNet(block, layers, num_classes=7)
    for size in ((33, 47), (64, 64)):
        result = model(wg.rand(2, 3, *size))
        assert result.shape == (2, 7)
        result.square().sum().backward()
    assert all(parameter.grad is not None for parameter in model.parameters())


def test_blocks_begin_as_the_identity_if_asked() -> None:
    model = ResNet(BasicBlock, (2, 1, 1, 1), zero_init_residual=True).eval()
    x = wg.rand(1, 64, 8, 8)
    assert wg.equal(model.layer1(x), x)


def test_the_norm_layer_can_be_chosen() -> None:
    model = ResNet(BasicBlock, (1, 1, 1, 1), norm_layer=lambda channels: nn.GroupNorm(8, channels))
    assert isinstance(model.layer2[0].downsample[1], nn.GroupNorm)
    assert not any(isinstance(module, nn.BatchNorm2d) for module in model.modules())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as torch's with the file of weights of `resnet18`: zeros, but for the bias of `fc`, which is ones."""
    place = tmp_path_factory.mktemp("home")
    folder = place / "hub" / "checkpoints"
    folder.mkdir(parents=True)
    with wg.device("meta"):
        layout = resnet18().state_dict()
    state = {name: wg.zeros(tensor.shape, dtype=tensor.dtype) for name, tensor in layout.items()}
    state["fc.bias"] += 1
    wg.save(state, folder / ResNet18_Weights.DEFAULT.value)
    return place


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights of new networks are NaN: drawing eleven millions of them takes seconds, and none may be left."""
    for name in ("uniform_within_fan_in", "kaiming_normal_"):
        monkeypatch.setattr(nn.init, name, lambda weight, *options, **named: weight.detach().fill_(float("nan")))


@pytest.fixture
def published(home: Path, undrawn: None, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of published weights, where torch looks for them."""
    monkeypatch.setenv("TORCH_HOME", str(home))
    return home / "hub" / "checkpoints"


@pytest.mark.parametrize("weights", ["DEFAULT", "IMAGENET1K_V1", "ResNet18_Weights.DEFAULT", ResNet18_Weights.DEFAULT])
def test_a_file_that_is_there_is_loaded(weights, published: Path) -> None:
    model = resnet18(weights=weights).eval()
    assert wg.equal(model(wg.zeros(1, 3, 32, 32)), wg.ones(1, 1000))


def test_pretrained_is_the_older_way_to_ask(published: Path) -> None:
    for arguments, options in (((), {"pretrained": True}), ((True,), {})):
        with pytest.warns(UserWarning, match="The parameter 'pretrained' is deprecated since 0.13"):
            model = resnet18(*arguments, **options)
        assert model.fc.bias[0] == 1
    with pytest.warns(UserWarning, match="deprecated"):
        assert resnet18(pretrained=False).fc.bias[0] != 1


def test_without_the_file_the_error_says_which_to_put_where(
    tmp_path: Path, undrawn: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))

    def offline(*args: object, **options: object) -> None:
        raise urllib.error.URLError("no connection")

    monkeypatch.setattr("wengert.io.fetching.urlopen", offline)
    place = tmp_path / "hub" / "checkpoints" / "resnet18-f37072fd.pth"
    with pytest.raises(urllib.error.URLError) as caught:
        resnet18(weights="DEFAULT", progress=False)
    assert ResNet18_Weights.DEFAULT.url in str(caught.value)
    assert f"put that file at {place}" in str(caught.value)


def test_weights_that_there_are_not_are_refused(undrawn: None) -> None:
    with pytest.raises(ValueError, match="expected one of IMAGENET1K_V1, DEFAULT, but got 'V9'"):
        resnet18(weights="V9")
    with pytest.raises(ValueError, match="'num_classes' expected value 1000 but got 10"):
        resnet18(weights="DEFAULT", num_classes=10)


def last_layer_only() -> ResNet:
    """The network of the seeds, as they make it."""
    with pytest.warns(UserWarning, match="pretrained"):
        model = torchvision.models.resnet18(pretrained=True)
    for param in model.parameters():
        param.requires_grad = False
    # Replace the last fully-connected layer
    # Parameters of newly constructed modules have requires_grad=True by default
    model.fc = nn.Linear(512, 100)
    nn.init.uniform_(model.fc.weight, -0.05, 0.05)
    nn.init.uniform_(model.fc.bias, -0.05, 0.05)
    return model


def test_the_seeds_example_trains_the_classifier(published: Path) -> None:
    model = last_layer_only()
    # Optimize only the classifier
    optimizer = optim.SGD(model.fc.parameters(), lr=1e-2, momentum=0.9)
    before = {name: tensor.clone() for name, tensor in model.named_parameters()}
    losses = []
    for _ in range(3):
        loss = nn.functional.cross_entropy(model(wg.rand(2, 3, 32, 32)), wg.tensor([1, 2]))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses == sorted(losses, reverse=True)
    changed = {name for name, tensor in model.named_parameters() if not wg.equal(tensor, before[name])}
    assert changed == {"fc.bias"}  # the features of the zeros above are zeros


def test_a_frozen_base_keeps_nothing_and_runs_no_step_backward(published: Path) -> None:
    model = last_layer_only().eval()
    x, y = wg.rand(4, 3, 64, 64), wg.tensor([0, 1, 2, 3])
    features = []
    model.avgpool.register_forward_hook(lambda module, inputs, output: features.append(output))
    loss = nn.functional.cross_entropy(model(x), y)
    assert not features[0].requires_grad and features[0].grad_fn is None
    report = wg.graph_report(loss)
    kept = {row.operator for row in report.rows}
    assert not any("Convolution" in name or "BatchNorm" in name for name in kept)
    assert report.own_nbytes < 20_000  # features and logits of four images
    with profile() as backward:
        loss.backward()
    run = [event.name.rpartition(": ")[2] for event in backward.function_events if "evaluate_function" in event.name]
    assert sorted(run) == [
        *("AddmmBackward0", "LogSoftmaxBackward0", "NllLossBackward0", "TBackward0"),
        *("torch::autograd::AccumulateGrad", "torch::autograd::AccumulateGrad"),
    ]
    for parameter in model.parameters():
        parameter.requires_grad = True
    full = wg.graph_report(nn.functional.cross_entropy(model(x), y))
    assert full.own_nbytes > 100 * report.own_nbytes
    assert full.nodes > 10 * report.nodes


def test_no_grad_and_volatile_record_nothing(undrawn: None) -> None:
    model = torchvision.models.resnet18().eval()
    x = wg.rand(1, 3, 64, 64)
    assert model(x).requires_grad
    with wg.no_grad():
        result = model(x)
    assert not result.requires_grad and result.grad_fn is None
    with pytest.warns(DeprecationWarning, match="volatile"):
        volatile = model(Variable(x, volatile=True))
    assert not volatile.requires_grad and volatile.grad_fn is None
    assert volatile.volatile
