"""`torch.onnx.symbolic_opset11`: forms of operators for export, which is not there. Libraries import the module."""
