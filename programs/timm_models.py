"""Networks of timm by name: outputs and gradients of one step each."""

import timm
import torch
from reporting import report

results = {}
for name in ("vit_tiny_patch16_224", "mobilenetv3_small_050", "convnext_atto", "mixer_s32_224", "efficientnet_b0"):
    torch.manual_seed(0)
    model = timm.create_model(name, num_classes=10, drop_rate=0.0)
    model.eval()
    out = model(torch.randn(1, 3, 224, 224))
    torch.nn.functional.cross_entropy(out, torch.tensor([3])).backward()
    results[name] = [out.mean().item(), model.get_classifier().weight.grad.norm().item()]
report(**results)
