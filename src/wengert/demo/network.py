"""The network: two blocks of convolution, batch normalisation, rectifier and pooling, and a linear map."""

from __future__ import annotations

from wengert import nn

CHANNELS = 24
DROPPED = 0.25


def block(inputs: int, outputs: int) -> list[nn.Module]:
    """Return the layers of a block, which halves height and width."""
    return [nn.Conv2d(inputs, outputs, 3, padding=1), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)]


def make_network() -> nn.Sequential:
    """Return the network, which maps (N, 1, 8, 8) to scores (N, 10)."""
    return nn.Sequential(
        *block(1, CHANNELS),
        *block(CHANNELS, 2 * CHANNELS),
        nn.Flatten(),
        nn.Dropout(DROPPED),
        nn.Linear(2 * CHANNELS * 2 * 2, 10),
    )
