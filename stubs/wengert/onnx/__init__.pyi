# Made by tools/make_stub.py; do not edit.
from wengert._torch.onnx import (
    ONNXProgram as ONNXProgram,
    OperatorExportTypes as OperatorExportTypes,
    TensorProtoDataType as TensorProtoDataType,
    TrainingMode as TrainingMode,
    export as export,
    is_in_onnx_export as is_in_onnx_export,
    register_custom_op_symbolic as register_custom_op_symbolic,
    unregister_custom_op_symbolic as unregister_custom_op_symbolic,
)
