"""Train the last layer of a residual network whose base is frozen, on handwritten digits or on images of your own.

    python examples/finetune_resnet18.py
    python examples/finetune_resnet18.py --images photos --pretrained

The folder of images has a folder of files for each class; Pillow reads them. `--pretrained` fetches the published
weights once. Without them the base is random, which still tells digits apart. The curves land in `finetune.png` if
matplotlib is installed.
"""

from __future__ import annotations

import argparse
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np

import wengert as wg
from wengert import nn, optim
from wengert.autograd.profiler import profile
from wengert.utils.data import DataLoader, TensorDataset
from wengert.vision import load_digits, models

MEAN, DEVIATION = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)  # of the images that the published weights have seen


def prepared(images: wg.Tensor, size: int) -> wg.Tensor:
    """Return images of values from 0 to 1 as the network takes them: of one size, with three channels, normalised."""
    images = nn.functional.interpolate(images, (size, size), mode="bilinear").expand(-1, 3, -1, -1)
    return (images - wg.tensor(MEAN)[:, None, None]) / wg.tensor(DEVIATION)[:, None, None]


def digits() -> tuple[wg.Tensor, wg.Tensor, list[str]]:
    """Return the handwritten digits, their classes and the names of these."""
    images, labels = load_digits()
    x = wg.tensor(images[:, None] / 16.0, dtype=wg.float32)
    return prepared(x, 32), wg.tensor(labels, dtype=wg.int64), [str(digit) for digit in range(10)]


def photographs(folder: Path, size: int = 224) -> tuple[wg.Tensor, wg.Tensor, list[str]]:
    """Return the images in a folder of folders, in random order, their classes and the names of these."""
    from PIL import Image

    classes = sorted(path.name for path in folder.iterdir() if path.is_dir())
    files = [(file, label) for label, name in enumerate(classes) for file in sorted((folder / name).iterdir())]
    if not files:
        raise SystemExit(f"{folder}: expected a folder for each class, with images in it")
    files = [files[i] for i in wg.randperm(len(files)).tolist()]
    images = [np.asarray(Image.open(file).convert("RGB").resize((size, size)), np.float32) / 255 for file, _ in files]
    x = wg.from_numpy(np.stack(images).transpose(0, 3, 1, 2))
    return prepared(x, size), wg.tensor([label for _, label in files]), classes


def frozen_network(classes: int, pretrained: bool) -> models.ResNet:
    """Return a network of which only the last layer learns."""
    model = models.resnet18(weights="DEFAULT" if pretrained else None)
    for param in model.parameters():
        param.requires_grad = False
    model.fc = nn.Linear(model.fc.in_features, classes)  # new parameters require a gradient
    return model.eval()  # the statistics of the base stay, too


def cost_of_step(model: nn.Module, x: wg.Tensor, y: wg.Tensor) -> dict[str, int]:
    """Return what a training step records and keeps.

    Returns:
        The number of nodes that the backward pass runs, the bytes that the forward pass keeps for it (without
        parameters), and the most bytes that are allocated at a time.
    """
    tracemalloc.start()
    loss = nn.functional.cross_entropy(model(x), y)
    saved = wg.graph_report(loss).own_nbytes
    with profile() as backward:
        loss.backward()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    model.zero_grad()
    nodes = sum(event.name.startswith("autograd::engine") for event in backward.function_events)
    return {"nodes run backward": nodes, "bytes kept": saved, "peak bytes": peak}


def progress_bar(steps: int) -> Any:
    """Return a progress bar on a terminal, if tqdm is installed; otherwise None."""
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(total=steps, unit="step", disable=not sys.stderr.isatty())


def train(
    model: models.ResNet, x: wg.Tensor, y: wg.Tensor, epochs: int, batch_size: int = 64
) -> dict[str, list[float]]:
    """Train the last layer on four fifths of the images; return the loss and the accuracy on the last fifth."""
    cut = max(1, 4 * len(x) // 5)
    loader = DataLoader(TensorDataset(x[:cut], y[:cut]), batch_size=batch_size, shuffle=True)
    optimizer = optim.SGD(model.fc.parameters(), lr=1e-2, momentum=0.9)
    history: dict[str, list[float]] = {"train_loss": [], "test_accuracy": []}
    bar = progress_bar(epochs * len(loader))
    for epoch in range(epochs):
        total = 0.0
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(inputs), targets)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(inputs)
            if bar is not None:
                bar.update()
        with wg.no_grad():
            predicted = wg.cat([model(part) for part in x[cut:].split(batch_size)]).argmax(1)
        history["train_loss"].append(total / cut)
        history["test_accuracy"].append((predicted == y[cut:]).float().mean().item())
        print(f"epoch {epoch + 1}  loss {total / cut:.4f}  accuracy {100 * history['test_accuracy'][-1]:.1f} %")
    if bar is not None:
        bar.close()
    return history


def compare(model: models.ResNet, x: wg.Tensor, y: wg.Tensor) -> None:
    """Print what a step costs with the frozen base, and with all layers learning."""
    frozen = cost_of_step(model, x, y)
    for param in model.parameters():
        param.requires_grad = True
    full = cost_of_step(model, x, y)
    print(f"\n{'a step of ' + str(len(x)) + ' images':24}{'frozen base':>16}{'all layers':>16}")
    for name, value in frozen.items():
        print(f"{name:24}{value:>16,}{full[name]:>16,}")


def main(arguments: list[str] | None = None) -> dict[str, list[float]]:
    """Train as the command line says; return the loss and the accuracy after each epoch."""
    parser = argparse.ArgumentParser(description="Train the last layer of a frozen residual network.")
    parser.add_argument("--images", type=Path, help="folder with a folder of images for each class")
    parser.add_argument("--pretrained", action="store_true", help="begin with the published weights")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--limit", type=int, help="use so many images only")
    parser.add_argument("--curves", type=Path, default=Path("finetune.png"), help="where the curves are drawn")
    given = parser.parse_args(arguments)
    wg.manual_seed(0)
    x, y, classes = photographs(given.images) if given.images else digits()
    x, y = x[: given.limit], y[: given.limit]
    model = frozen_network(len(classes), given.pretrained)
    history = train(model, x, y, given.epochs)
    try:
        print(f"curves: {wg.viz.plot_curves(history, given.curves)}")
    except ImportError as error:
        print(f"no curves: {error}")
    compare(model, x[:16], y[:16])
    return history


if __name__ == "__main__":
    main()
