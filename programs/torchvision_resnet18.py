"""The example of torch's page on autograd: a frozen residual network with a new last layer."""

import os
import tempfile

import torch
import torch.nn as nn
import torch.optim as optim
import torchvision
from reporting import report

torch.manual_seed(0)
os.environ["TORCH_HOME"] = tempfile.mkdtemp()  # where the published weights would lie; here are others, of that name
folder = os.path.join(torch.hub.get_dir(), "checkpoints")
os.makedirs(folder)
torch.save(torchvision.models.resnet18().state_dict(), os.path.join(folder, "resnet18-f37072fd.pth"))

model = torchvision.models.resnet18(pretrained=True)
for param in model.parameters():
    param.requires_grad = False
# Replace the last fully-connected layer
# Parameters of newly constructed modules have requires_grad=True by default
model.fc = nn.Linear(512, 100)

# Optimize only the classifier
optimizer = optim.SGD(model.fc.parameters(), lr=1e-2, momentum=0.9)

losses = []
for _ in range(4):
    loss = nn.functional.cross_entropy(model(torch.randn(4, 3, 64, 64)), torch.randint(100, (4,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
report(losses=losses, weight=model.fc.weight[:3, :3], mean=model.bn1.running_mean[:4])
