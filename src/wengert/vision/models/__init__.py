"""Networks for images, with torchvision's names and layout of weights, so that its published files load into them."""

from .resnet import ResNet, ResNet18_Weights, ResNet34_Weights, ResNet50_Weights, resnet18, resnet34, resnet50

__all__ = ["ResNet", "ResNet18_Weights", "ResNet34_Weights", "ResNet50_Weights", "resnet18", "resnet34", "resnet50"]
