"""Modules of torch that programs import for tools that are not here, or lie elsewhere."""

from __future__ import annotations

import pytest

import wengert as wg
from tests.project.test_mirrors import run


def test_what_quantises_can_be_imported_and_is_refused():
    code = """
        import wengert
        wengert.install_as_torch()
        import torch, torch.nn.intrinsic.qat
        import torch.ao.nn.quantized as nnq
        from torch.ao.quantization import QConfig, quantize_dynamic
        from torch.quantization.observer import MinMaxObserver

        class Mine(torch.ao.quantization.FakeQuantize): pass

        print(isinstance(torch.nn.Linear(1, 1), (nnq.Linear, torch.nn.intrinsic.qat.LinearReLU)))
        for refused in (QConfig, quantize_dynamic, MinMaxObserver, Mine, torch.quantization.prepare):
            try:
                refused(1)
            except RuntimeError as error:
                print(error)
    """
    says = "there are no quantised tensors here"
    assert run(code).splitlines() == [
        "False",
        f"torch.ao.quantization.QConfig: {says}",
        f"torch.ao.quantization.quantize_dynamic: {says}",
        f"torch.quantization.observer.MinMaxObserver: {says}",
        f"torch.ao.quantization.FakeQuantize: {says}",
        f"torch.quantization.prepare: {says}",
    ]


def test_models_that_may_be_quantised_compute_on_floats():
    stubs = wg.ao.quantization
    functional = wg.nn.quantized.FloatFunctional()
    assert wg.ao.nn.quantized.FloatFunctional is wg.nn.quantized.FloatFunctional
    model = stubs.QuantWrapper(wg.nn.ReLU())
    assert [name for name, _ in model.named_children()] == ["quant", "dequant", "module"]
    x, y = wg.tensor([1.0, -2.0], requires_grad=True), wg.tensor([2.0, 1.0])
    assert model(x).tolist() == [1.0, 0.0]
    assert wg.quantization.DeQuantStub()(x) is x
    assert functional.add_relu(x, y).tolist() == [3.0, 0.0]
    assert functional.add(x, functional.mul_scalar(y, 2.0)).tolist() == [5.0, 0.0]
    assert functional.mul(functional.add_scalar(x, 1.0), y).tolist() == [4.0, -1.0]
    assert functional.cat([x, y]).shape == (4,)
    functional.matmul(x, y).backward()
    assert x.grad.tolist() == y.tolist()
    with pytest.raises(RuntimeError, match="not intended to use the 'forward'"):
        functional(x)


def test_no_graph_of_a_compiler_is_traced():
    with pytest.raises(RuntimeError, match="_get_trace_graph: wengert has no graph"):
        wg.jit._get_trace_graph(wg.nn.Linear(1, 1), (wg.ones(1),))


def test_what_prints_tensors_can_be_asked_for_from_where_torch_has_it():
    from wengert._tensor_str import PRINT_OPTS, _Formatter, _str, _tensor_str, get_summarized_data, printoptions

    with printoptions(precision=2):
        assert (PRINT_OPTS.precision, str(wg.tensor([1.25]))) == (2, "tensor([1.25])")
        PRINT_OPTS.precision = 1
        assert str(wg.tensor([1.25])) == "tensor([1.2])"
    assert PRINT_OPTS.precision == 4 and "linewidth=80" in repr(PRINT_OPTS)
    with pytest.raises(AttributeError, match="no printing option 'colour'"):
        PRINT_OPTS.colour  # noqa: B018 - it raises
    assert _str(wg.ones(2)) == "tensor([1., 1.])" and _str(wg.ones(2), tensor_contents="...") == "tensor(...)"
    assert _tensor_str(wg.arange(6.0).reshape(2, 3), 7) == "[[0., 1., 2.],\n        [3., 4., 5.]]"
    formatter = _Formatter(wg.tensor([1.0, 22.5]))
    assert (formatter.width(), formatter.format(1.5)) == (7, " 1.5000")
    assert get_summarized_data(wg.arange(2000)).tolist() == [0, 1, 2, 1997, 1998, 1999]
