"""Faster R-CNN with a small backbone: losses, gradients, and what it detects."""

import torch
import torchvision
from reporting import report

torch.manual_seed(0)
model = torchvision.models.detection.fasterrcnn_mobilenet_v3_large_320_fpn(
    weights=None, weights_backbone=None, num_classes=4, rpn_batch_size_per_image=100_000
)
images = [torch.rand(3, 160, 200), torch.rand(3, 120, 90)]
targets = [
    {"boxes": torch.tensor([[10.0, 20, 90, 140], [50, 30, 150, 90]]), "labels": torch.tensor([1, 2])},
    {"boxes": torch.tensor([[5.0, 5, 60, 80]]), "labels": torch.tensor([3])},
]
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
totals = []
for _ in range(2):
    torch.manual_seed(1)
    losses = model(images, targets)
    total = sum(losses.values())
    optimizer.zero_grad()
    total.backward()
    optimizer.step()
    totals.append(total.item())
boxes = torch.tensor([[0.0, 0, 10, 10], [1, 1, 11, 11], [20, 20, 30, 30]])
kept = torchvision.ops.nms(boxes, torch.tensor([0.9, 0.8, 0.7]), 0.5)
x = torch.randn(1, 2, 16, 16, requires_grad=True)
pooled = torchvision.ops.roi_align(x, [boxes / 2], (3, 3), aligned=True)
pooled.square().sum().backward()
report(totals=totals, kept=kept, pooled=pooled.mean((1, 2, 3)), grad=x.grad.norm())
