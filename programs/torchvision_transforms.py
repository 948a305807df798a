"""Transforms of both generations on images of Pillow and tensors, a data set of files, and a grid of images."""

import pathlib
import tempfile

import numpy as np
import torch
from PIL import Image
from reporting import report
from torchvision import datasets, transforms, tv_tensors, utils
from torchvision.transforms import v2

torch.manual_seed(0)
folder = pathlib.Path(tempfile.mkdtemp())
pixels = np.arange(48 * 40 * 3).reshape(48, 40, 3)
for number, name in enumerate(("cats", "dogs")):
    (folder / name).mkdir()
    for k in range(3):
        values = (pixels * (number + 2) + 17 * k) % 256
        Image.fromarray(values.astype(np.uint8)).save(folder / name / f"{k}.png")
first = transforms.Compose(
    [
        transforms.RandomResizedCrop(24),
        transforms.RandomHorizontalFlip(),
        transforms.ColorJitter(0.2, 0.2),
        transforms.ToTensor(),
        transforms.Normalize([0.5] * 3, [0.25] * 3),
    ]
)
data = datasets.ImageFolder(folder, first)
batch, labels = next(iter(torch.utils.data.DataLoader(data, batch_size=6, shuffle=True)))

image = tv_tensors.Image(torch.from_numpy((pixels % 256).astype(np.uint8)).permute(2, 0, 1))
boxes = tv_tensors.BoundingBoxes([[4.0, 6, 20, 30], [10, 10, 38, 40]], format="XYXY", canvas_size=(48, 40))
second = v2.Compose([v2.RandomRotation(20), v2.RandomHorizontalFlip(1.0), v2.ToDtype(torch.float32, scale=True)])
turned, moved = second(image, boxes)
report(
    labels=labels,
    means=batch.mean((1, 2, 3)),
    grid=utils.make_grid(batch, nrow=3, normalize=True).mean((1, 2)),
    turned=turned.mean((1, 2)),
    boxes=moved.as_subclass(torch.Tensor),
)
