"""A multi-layer perceptron that learns handwritten digits in a few seconds."""

from __future__ import annotations

import wengert as wg
from wengert import nn, optim
from wengert.utils.data import DataLoader, TensorDataset
from wengert.vision import load_digits


def main(epochs: int = 25, seed: int = 0) -> float:
    """Train on four fifths of the digits; return the accuracy on the last fifth."""
    wg.manual_seed(seed)
    images, labels = load_digits()
    x = wg.tensor(images.reshape(-1, 64) / 16.0, dtype=wg.float32)
    y = wg.tensor(labels, dtype=wg.int64)
    cut = 4 * len(x) // 5
    loader = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=64, shuffle=True)
    network = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))
    optimiser = optim.Adam(network.parameters(), lr=0.005)
    criterion = nn.CrossEntropyLoss()
    accuracy = 0.0
    for epoch in range(epochs):
        for inputs, targets in loader:
            optimiser.zero_grad()
            loss = criterion(network(inputs), targets)
            loss.backward()
            optimiser.step()
        with wg.no_grad():
            accuracy = (network(x[cut:]).argmax(1) == y[cut:]).float().mean().item()
        print(f"epoch {epoch + 1:2d}  loss {loss.item():.4f}  accuracy {100 * accuracy:.1f} %")
    return accuracy


if __name__ == "__main__":
    main()
