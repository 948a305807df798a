"""Networks on images: convolutions, pooling, batch normalisation, and steps of whole networks; torch beside wengert."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from benchmarks.cases import BOTH, draw, fill, module_step
from benchmarks.timing import Case

Make = Callable[[Any], Callable[[], Any]]
Build = Callable[[Any], Any]

SECONDS = 0.1
"""How long a turn lasts: some of these calls take tens of milliseconds."""


def layer_case(build: Build, shape: tuple[int, ...]) -> Make:
    """Forward and backward of one layer, with the gradients of its input and of its parameters."""

    def make(adapter: Any) -> Callable[[], Any]:
        layer = build(adapter.library.nn)
        fill(adapter.library, layer)
        x = adapter.leaf(draw(*shape, seed=7))
        grad = adapter.array(draw(*layer(x).shape, seed=8))

        def run() -> Any:
            layer.zero_grad()
            x.grad = None
            result = layer(x)
            result.backward(grad)
            return [result, x.grad, *(parameter.grad for parameter in layer.parameters())]

        return run

    return make


def flops(build: Build, shape: tuple[int, ...]) -> float:
    """Operations of the products of a layer: forward, for the input's gradient and for the weight's."""
    import wengert as wg

    layer = build(wg.nn)
    if not isinstance(layer, wg.nn.modules.conv._ConvNd):
        return 0.0
    with wg.no_grad():
        places = wg.zeros(shape) if layer.transposed else layer(wg.zeros(shape))
    return 3 * 2.0 * places.numel() * layer.weight[0].numel()


def inference(build: Build, shape: tuple[int, ...]) -> Make:
    """A network that is not trained: no recording, statistics as they stand."""

    def make(adapter: Any) -> Callable[[], Any]:
        network = build(adapter.library.nn).eval()
        fill(adapter.library, network)
        x = adapter.array(draw(*shape, seed=5))

        def run() -> Any:
            with adapter.library.no_grad():
                return network(x)

        return run

    return make


def lenet(nn: Any) -> Any:
    """LeNet-5 for images of 28 by 28."""
    return nn.Sequential(
        nn.Conv2d(1, 6, 5, padding=2),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 120),
        nn.ReLU(),
        nn.Linear(120, 84),
        nn.ReLU(),
        nn.Linear(84, 10),
    )


def residual_block(nn: Any, inputs: int, outputs: int, stride: int) -> Any:
    """Two convolutions beside a way around them.

    Source: He, Zhang, Ren and Sun, Deep residual learning for image recognition, 2015.
    """

    class Block(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(
                nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False),
                nn.BatchNorm2d(outputs),
                nn.ReLU(),
                nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False),
                nn.BatchNorm2d(outputs),
            )
            self.around = nn.Identity()
            if stride != 1 or inputs != outputs:
                self.around = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))
            self.relu = nn.ReLU(inplace=True)

        def forward(self, x: Any) -> Any:
            return self.relu(self.body(x) + self.around(x))

    return Block()


def resnet(nn: Any) -> Any:
    """ResNet-18."""
    blocks = []
    inputs = 64
    for outputs in (64, 128, 256, 512):
        blocks += [residual_block(nn, inputs, outputs, 1 + (outputs > 64)), residual_block(nn, outputs, outputs, 1)]
        inputs = outputs
    return nn.Sequential(
        nn.Conv2d(3, 64, 7, 2, 3, bias=False),
        nn.BatchNorm2d(64),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, 1),
        *blocks,
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(512, 1000),
    )


LAYERS: tuple[tuple[str, Build, tuple[int, ...]], ...] = (
    ("convolution 3x3, 64 channels of 32x32", lambda nn: nn.Conv2d(64, 64, 3, padding=1), (16, 64, 32, 32)),
    ("convolution 3x3, 128 channels of 14x14", lambda nn: nn.Conv2d(128, 128, 3, padding=1), (16, 128, 14, 14)),
    ("convolution 3x3, 512 channels of 2x2", lambda nn: nn.Conv2d(512, 512, 3, padding=1), (16, 512, 2, 2)),
    ("convolution 3x3, stride 2, 64 to 128", lambda nn: nn.Conv2d(64, 128, 3, 2, 1), (16, 64, 32, 32)),
    ("convolution 7x7, stride 2, 3 to 64", lambda nn: nn.Conv2d(3, 64, 7, 2, 3), (8, 3, 112, 112)),
    ("convolution 1x1, 128 to 256", lambda nn: nn.Conv2d(128, 256, 1), (16, 128, 16, 16)),
    ("convolution 1x1, stride 2, 64 to 128", lambda nn: nn.Conv2d(64, 128, 1, 2), (16, 64, 32, 32)),
    ("convolution 3x3, depthwise, 64", lambda nn: nn.Conv2d(64, 64, 3, padding=1, groups=64), (16, 64, 32, 32)),
    ("convolution 3x3, depthwise, stride 2", lambda nn: nn.Conv2d(64, 64, 3, 2, 1, groups=64), (16, 64, 32, 32)),
    ("convolution 3x3, 4 groups, 64", lambda nn: nn.Conv2d(64, 64, 3, padding=1, groups=4), (16, 64, 32, 32)),
    ("convolution 3x3, dilation 2, 64", lambda nn: nn.Conv2d(64, 64, 3, 1, 2, 2), (16, 64, 32, 32)),
    ("convolution 1d of 5, 64 channels of 512", lambda nn: nn.Conv1d(64, 64, 5, padding=2), (16, 64, 512)),
    ("convolution 3d 3x3x3, 16 channels of 16", lambda nn: nn.Conv3d(16, 16, 3, padding=1), (4, 16, 16, 16, 16)),
    ("transposed convolution 4x4, stride 2", lambda nn: nn.ConvTranspose2d(128, 64, 4, 2, 1), (16, 128, 16, 16)),
    ("max pooling 2x2", lambda nn: nn.MaxPool2d(2), (16, 64, 32, 32)),
    ("max pooling 3x3, stride 2", lambda nn: nn.MaxPool2d(3, 2, 1), (16, 64, 56, 56)),
    ("average pooling 2x2", lambda nn: nn.AvgPool2d(2), (16, 64, 32, 32)),
    ("average pooling to 1x1", lambda nn: nn.AdaptiveAvgPool2d(1), (16, 256, 14, 14)),
    ("batch norm of 64 channels", lambda nn: nn.BatchNorm2d(64), (16, 64, 32, 32)),
)


def cases() -> list[Case]:
    """Each layer and each network with its target."""
    layers = [
        Case(name, layer_case(build, shape), 1.0, 1e-3, BOTH, 4.0 * math.prod(shape), flops(build, shape))
        for name, build, shape in LAYERS
    ]
    return [
        *layers,
        Case("LeNet step, batch 64", module_step(lenet, (64, 1, 28, 28), 0.9), 1.2, 1e-3, only=BOTH),
        Case("ResNet-18 step, 16 of 64x64", module_step(resnet, (16, 3, 64, 64), 0.9), 0.9, 1e-2, only=BOTH),
        Case("ResNet-18 inference, 16 of 64x64", inference(resnet, (16, 3, 64, 64)), 1.0, 1e-3, only=BOTH),
    ]
