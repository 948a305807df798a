"""Residual networks (He et al., "Deep residual learning for image recognition", 2016).

A block adds its input to the result of two or three convolutions. If a block changes the size or the number of
channels, its input passes through a convolution of kernel 1 (`downsample`). In the network of 50 layers the middle
convolution of a block halves the size, as in torchvision.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from wengert import nn
from wengert._tensor import Tensor
from wengert.hub import load_state_dict_from_url

Norm = Callable[[int], nn.Module]
SOURCE = "https://download.pytorch.org/models/"


class Weights(Enum):
    """Published weights; the value is the name of the file, which contains the start of its checksum."""

    @property
    def url(self) -> str:
        """Address of the file."""
        return SOURCE + str(self.value)

    def get_state_dict(self, *, progress: bool = True, check_hash: bool = True, **options: Any) -> dict[str, Tensor]:
        """Return the tensors of the file, which is downloaded once to the folder `checkpoints` of `hub.get_dir()`.

        Args:
            progress: show the progress on standard error.
            check_hash: refuse a file with another checksum.
            options: as of `hub.load_state_dict_from_url`.

        Raises:
            RuntimeError: if the checksum differs.
            urllib.error.URLError: if there is no connection; the message says which file to put where.
        """
        return load_state_dict_from_url(self.url, progress=progress, check_hash=check_hash, **options)


class ResNet18_Weights(Weights):  # noqa: N801  torchvision's name
    """Weights of `resnet18`, trained on the 1,000 classes of ImageNet."""

    IMAGENET1K_V1 = "resnet18-f37072fd.pth"
    DEFAULT = IMAGENET1K_V1


class ResNet34_Weights(Weights):  # noqa: N801
    """Weights of `resnet34`, trained on the 1,000 classes of ImageNet."""

    IMAGENET1K_V1 = "resnet34-b627a593.pth"
    DEFAULT = IMAGENET1K_V1


class ResNet50_Weights(Weights):  # noqa: N801
    """Weights of `resnet50`, trained on the 1,000 classes of ImageNet."""

    IMAGENET1K_V1 = "resnet50-0676ba61.pth"
    IMAGENET1K_V2 = "resnet50-11ad3fa6.pth"
    DEFAULT = IMAGENET1K_V2


def convolution(inputs: int, outputs: int, kernel: int, stride: int = 1) -> nn.Conv2d:
    """Return a convolution that keeps the size, or divides it by `stride`."""
    return nn.Conv2d(inputs, outputs, kernel, stride, padding=kernel // 2, bias=False)


class BasicBlock(nn.Module):
    """Two convolutions of kernel 3 beside the identity.

    Args:
        inputs: number of input channels.
        width: number of output channels.
        stride: of the first convolution.
        downsample: module parallel to the convolutions; None for the identity.
        norm_layer: function from a number of channels to a normalisation.
    """

    expansion = 1

    def __init__(self, inputs: int, width: int, stride: int, downsample: nn.Module | None, norm_layer: Norm) -> None:
        super().__init__()
        self.conv1 = convolution(inputs, width, 3, stride)
        self.bn1 = norm_layer(width)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = convolution(width, width, 3)
        self.bn2 = norm_layer(width)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        """Return the result for images of shape (N, inputs, H, W)."""
        identity = x if self.downsample is None else self.downsample(x)
        residual = self.relu(self.bn1(self.conv1(x)))
        residual = self.bn2(self.conv2(residual))
        return self.relu(residual + identity)


class Bottleneck(nn.Module):
    """Convolutions of kernel 1, 3 and 1 beside the identity; the last has four times as many channels.

    Args:
        inputs: number of input channels.
        width: number of inner channels; there are four times as many output channels.
        stride: of the middle convolution.
        downsample, norm_layer: as for `BasicBlock`.
    """

    expansion = 4

    def __init__(self, inputs: int, width: int, stride: int, downsample: nn.Module | None, norm_layer: Norm) -> None:
        super().__init__()
        self.conv1 = convolution(inputs, width, 1)
        self.bn1 = norm_layer(width)
        self.conv2 = convolution(width, width, 3, stride)
        self.bn2 = norm_layer(width)
        self.conv3 = convolution(width, width * self.expansion, 1)
        self.bn3 = norm_layer(width * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x: Tensor) -> Tensor:
        """Return the result for images of shape (N, inputs, H, W)."""
        identity = x if self.downsample is None else self.downsample(x)
        residual = self.relu(self.bn1(self.conv1(x)))
        residual = self.relu(self.bn2(self.conv2(residual)))
        residual = self.bn3(self.conv3(residual))
        return self.relu(residual + identity)


class ResNet(nn.Module):
    """A residual network of four stages, whose last layer is `fc`.

    Args:
        block: `BasicBlock` or `Bottleneck`.
        layers: number of blocks of each stage.
        num_classes: size of the result.
        zero_init_residual: initialise blocks as the identity.
        norm_layer: function from a number of channels to a normalisation; `nn.BatchNorm2d` by default.

    >>> import wengert as wg
    >>> model = wg.vision.models.resnet18(num_classes=10).eval()
    >>> model(wg.zeros(1, 3, 64, 64)).shape
    torch.Size([1, 10])
    """

    def __init__(
        self,
        block: type[BasicBlock | Bottleneck],
        layers: Sequence[int],
        num_classes: int = 1000,
        zero_init_residual: bool = False,
        norm_layer: Norm | None = None,
    ) -> None:
        super().__init__()
        norm = nn.BatchNorm2d if norm_layer is None else norm_layer
        self.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
        self.bn1 = norm(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(kernel_size=3, stride=2, padding=1)
        inputs = 64
        for number, count in enumerate(layers, 1):
            width = 32 << number
            self.add_module(f"layer{number}", stage(block, inputs, width, count, 1 if number == 1 else 2, norm))
            inputs = width * block.expansion
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(inputs, num_classes)
        initialise(self, zero_init_residual)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits, of shape (N, num_classes), of images of shape (N, 3, H, W)."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        for layer in (self.layer1, self.layer2, self.layer3, self.layer4):
            x = layer(x)
        return self.fc(self.avgpool(x).flatten(1))


def stage(
    block: type[BasicBlock | Bottleneck], inputs: int, width: int, count: int, stride: int, norm: Norm
) -> nn.Sequential:
    """Return blocks of one image size, the first of which changes it by `stride`."""
    outputs = width * block.expansion
    downsample = None
    if stride != 1 or inputs != outputs:
        downsample = nn.Sequential(convolution(inputs, outputs, 1, stride), norm(outputs))
    blocks = [block(inputs, width, stride, downsample, norm)]
    return nn.Sequential(*blocks, *[block(outputs, width, 1, None, norm) for _ in range(1, count)])


def initialise(model: ResNet, zero_init_residual: bool) -> None:
    """Initialise the parameters of a network (He et al., "Delving deep into rectifiers", 2015)."""
    for module in model.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
    if zero_init_residual:
        for module in model.modules():
            if isinstance(module, (BasicBlock, Bottleneck)):
                last = module.bn3 if isinstance(module, Bottleneck) else module.bn2
                nn.init.zeros_(last.weight)


def chosen(kind: type[Weights], weights: Any, pretrained: Any) -> Weights | None:
    """Return the requested weights.

    Args:
        kind: the enumeration of weights.
        weights: a member, its name, or None.
        pretrained: True for the first member (deprecated form); None if not given.

    Raises:
        ValueError: if there are no weights of that name.
    """
    if pretrained is None and isinstance(weights, bool):  # formerly the first argument was `pretrained`
        pretrained, weights = weights, None
    if pretrained is not None:
        warnings.warn(
            "The parameter 'pretrained' is deprecated since 0.13 and may be removed in the future, please use "
            "'weights' instead.",
            stacklevel=3,
        )
        return next(iter(kind)) if pretrained else None
    if weights is None or isinstance(weights, kind):
        return weights
    name = str(weights).removeprefix(f"{kind.__name__}.")
    if name not in kind.__members__:
        raise ValueError(f"weights: expected one of {', '.join(kind.__members__)}, but got {weights!r}")
    return kind[name]


def build(
    block: type[BasicBlock | Bottleneck], layers: Sequence[int], weights: Weights | None, progress: bool, **options: Any
) -> ResNet:
    """Return a network, with published weights if requested.

    Raises:
        ValueError: if the number of classes differs from that of the weights.
    """
    if weights is not None and options.get("num_classes", 1000) != 1000:
        raise ValueError(
            f"The parameter 'num_classes' expected value 1000 but got {options['num_classes']} instead: "
            "replace the layer `fc` of the network instead"
        )
    model = ResNet(block, layers, **options)
    if weights is not None:
        model.load_state_dict(weights.get_state_dict(progress=progress, check_hash=True))
    return model


def resnet18(weights: Any = None, progress: bool = True, *, pretrained: Any = None, **options: Any) -> ResNet:
    """Return a residual network of 18 layers.

    Args:
        weights: a `ResNet18_Weights`, its name, "DEFAULT", or None for random weights.
        progress: show the progress of the download on standard error.
        pretrained: True for the first published weights (deprecated form).
        options: as of `ResNet`.

    Raises:
        ValueError: if there are no such weights, or they do not fit `options`.
        urllib.error.URLError: if the weights cannot be downloaded; the message says which file to put where.
    """
    return build(BasicBlock, (2, 2, 2, 2), chosen(ResNet18_Weights, weights, pretrained), progress, **options)


def resnet34(weights: Any = None, progress: bool = True, *, pretrained: Any = None, **options: Any) -> ResNet:
    """Return a residual network of 34 layers; see `resnet18`."""
    return build(BasicBlock, (3, 4, 6, 3), chosen(ResNet34_Weights, weights, pretrained), progress, **options)


def resnet50(weights: Any = None, progress: bool = True, *, pretrained: Any = None, **options: Any) -> ResNet:
    """Return a residual network of 50 layers; see `resnet18`."""
    return build(Bottleneck, (3, 4, 6, 3), chosen(ResNet50_Weights, weights, pretrained), progress, **options)
