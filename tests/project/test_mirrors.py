"""Modules and names that programs of torch use to ask for what is not there, and `import torch` for this package."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import warnings

import pytest

import wengert as wg
from wengert._start.loading import homes
from wengert._start.names import METHODS

LATE = homes("wengert")


def run(code: str, *arguments: str) -> str:
    """What `code` prints in a Python of its own."""
    done = subprocess.run(
        [sys.executable, *arguments, *(["-c", textwrap.dedent(code)] if code else [])],
        env=os.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("name", sorted(LATE))
def test_each_name_that_comes_late_is_there(name: str):
    assert hasattr(wg, name)
    assert (name in dir(wg)) == (name[0] != "_")


@pytest.mark.parametrize("name", METHODS.split())
def test_methods_that_are_functions_do_the_same(name: str):
    function, method = getattr(wg, name), getattr(wg.Tensor, name)
    assert getattr(function, "__wrapped__", function).__name__ == method.__name__


@pytest.mark.parametrize("name", ["cuda", "mps", "xpu", "mtia"])
def test_accelerators_are_not_there_and_harmless(name: str):
    module = getattr(wg, name)
    assert not module.is_available() and module.device_count() == 0
    for call in (lambda: module.manual_seed(1), module.seed, module.synchronize, module.empty_cache):
        assert call() is None
    with pytest.raises((AssertionError, RuntimeError), match=r"is not available|computes on"):
        wg.ones(2, device=name)
    with pytest.raises((AssertionError, RuntimeError), match="is not available"):
        wg.ones(2).to(name)


def test_default_types_are_for_the_cpu():
    with wg.device("meta"):
        assert wg._C._get_default_device() == "cpu"


def test_devices_that_are_not_there_have_names():
    device = wg.device("cuda" if wg.cuda.is_available() else "cpu")
    assert wg.ones(2).to(device).device == device
    assert wg.device("cuda:1") == wg.device("cuda", 1) != wg.device("cuda")
    for text in ("cuda:-1", "cuda:x", "cpu:01"):
        with pytest.raises(RuntimeError, match="Invalid device string"):
            wg.device(text)
    with pytest.raises(RuntimeError, match="Expected one of cpu, cuda"):
        wg.device("foo")
    with wg.device("cpu"):
        assert wg.ones(1).device.type == "cpu"
    with pytest.raises(AssertionError, match="Torch not compiled with CUDA enabled"), wg.device("cuda"):
        pass


def test_what_is_asked_of_the_modules_is_refused_with_the_question_to_ask_first():
    with pytest.raises(AssertionError, match=r"torch.cuda.is_available\(\)"):
        wg.cuda.get_device_name()
    with pytest.raises(RuntimeError, match=r"torch.distributed.is_available\(\)"):
        wg.distributed.TCPStore("localhost", 1)
    with pytest.raises(RuntimeError, match="requires CUDA support"):
        wg.cuda.Stream()


def test_there_is_no_group_of_processes():
    assert wg.distributed.group.WORLD is None
    assert wg.distributed.GroupMember.WORLD is None
    assert not wg.distributed.is_available()


def test_settings_are_remembered():
    wg.use_deterministic_algorithms(True, warn_only=True)
    assert wg.get_deterministic_debug_mode() == 1 and wg.are_deterministic_algorithms_enabled()
    wg.set_deterministic_debug_mode("default")
    assert not wg.are_deterministic_algorithms_enabled()
    with pytest.raises(RuntimeError, match="not one of 'highest'"):
        wg.set_float32_matmul_precision("low")
    with wg.backends.cudnn.flags(benchmark=True):
        assert wg.backends.cudnn.benchmark
    assert not wg.backends.cudnn.benchmark


def test_what_would_compile_runs_as_it_is():
    def double(x):
        return x * 2

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert wg.jit.script(double) is double and wg.jit.trace(double, (wg.ones(1),)) is double
    for compiled in (wg.compile(double), wg.compile(mode="max-autotune")(double)):
        assert compiled.__wrapped__ is double and compiled(wg.ones(1)).item() == 2.0


def test_types_of_early_days_make_tensors_and_recognise_them():
    x = wg.FloatTensor([1, 2])
    assert type(x) is wg.Tensor and x.dtype is wg.float32 and isinstance(x, wg.FloatTensor)
    assert not isinstance(x.double(), wg.FloatTensor) and isinstance(x.double(), wg.DoubleTensor)
    assert wg.LongTensor(2, 3).shape == (2, 3)
    assert x.type("torch.LongTensor").dtype is x.type(wg.LongTensor).dtype is wg.int64
    assert x.double().type(wg.Tensor).dtype is wg.float32
    with pytest.raises(ValueError, match="invalid type: 'float'"):
        x.type("float")
    with pytest.raises(TypeError):
        wg.FloatTensor(x.double())


def test_pythons_types_stand_for_dtypes():
    x = wg.ones(2)
    assert x.to(int).dtype is wg.int64 and x.to(dtype=float).dtype is wg.float64
    assert wg.finfo(float).bits == 64 and wg.iinfo(int).bits == 64
    assert wg.promote_types(float, int) is wg.float64 and wg.can_cast(int, float)
    with pytest.raises(TypeError, match="bool is not supported"):
        wg.iinfo(bool)


def test_questions_of_a_tensor_about_kinds_that_are_not_there():
    x = wg.ones(2, 3)
    assert not (x.is_sparse or x.is_quantized or x.is_meta or x.is_nested) and x.is_cpu
    assert x.ndimension() == 2 and x.get_device() == -1 and x.t().dim_order() == (1, 0)
    assert x.is_set_to(x.view(2, 3)) and not x.is_set_to(x.clone()) and not x.is_set_to(x[:1])
    assert x.new(4).shape == (4,) and x.new([1, 2]).dtype is x.dtype and x.new().shape == (0,)


def test_a_tensor_as_a_subclass_keeps_memory_and_history():
    class Further(wg.Tensor):
        pass

    x = wg.ones(2, requires_grad=True)
    y = (x * 2).as_subclass(Further)
    assert type(y) is Further
    (y * y).sum().backward()
    assert x.grad.tolist() == [8.0, 8.0]
    z = wg.zeros(2)
    z.as_subclass(Further).add_(1)
    assert z.tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match=r"subclass of torch\.Tensor"):
        x.as_subclass(int)


def test_mixed_precision_is_switched_off_without_its_device():
    with pytest.warns(UserWarning, match="is not available"), wg.autocast("cuda"):
        assert (wg.ones(2) * 2).dtype is wg.float32
    with wg.autocast("cpu"):
        assert (wg.ones(1, 2) @ wg.ones(2, 1)).dtype is wg.bfloat16


def test_scaled_gradients_are_unscaled_and_infinite_ones_leave_the_step_out():
    x = wg.ones(2, requires_grad=True)
    optimizer, scaler = wg.optim.SGD([x], lr=1.0), wg.amp.GradScaler("cpu", init_scale=4.0, growth_interval=2)
    for loss, wanted, scale in ((x.sum(), 0.0, 4.0), ((x * wg.inf).sum(), 0.0, 2.0), (x.sum(), -1.0, 2.0)):
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        assert x.tolist() == [wanted] * 2 and scaler.get_scale() == scale
    other = wg.amp.GradScaler("cpu")
    other.load_state_dict(scaler.state_dict())
    assert other.get_scale() == 2.0


def test_a_scaler_refuses_calls_out_of_order():
    x = wg.ones(2, requires_grad=True)
    optimizer, scaler = wg.optim.SGD([x], lr=1.0), wg.amp.GradScaler("cpu")
    for call in (lambda: scaler.unscale_(optimizer), lambda: scaler.step(optimizer), scaler.update):
        with pytest.raises(AssertionError, match="but _scale is None"):
            call()
    scaler.scale(x.sum())
    with pytest.raises(AssertionError, match="No inf checks were recorded for this optimizer"):
        scaler.step(optimizer)
    scaler.update(4.0)
    with pytest.raises(AssertionError, match="No inf checks were recorded prior to update"):
        scaler.update()
    scaler.scale(x.sum()).backward()
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match=r"unscale_\(\) is being called after step"):
        scaler.unscale_(optimizer)


def test_the_growth_of_a_scale_can_be_asked_for_and_changed():
    scaler = wg.amp.GradScaler("cpu")
    assert (scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()) == (2.0, 0.5, 2000)
    scaler.set_growth_factor(3.0), scaler.set_backoff_factor(0.25), scaler.set_growth_interval(1)
    assert (scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()) == (3.0, 0.25, 1)


def test_a_folder_of_this_machine_is_a_hub(tmp_path):
    (tmp_path / "hubconf.py").write_text(
        "dependencies = ['numpy']\ndef model(n=1):\n    'A model.'\n    return n + 1\n"
    )
    assert wg.hub.load(str(tmp_path), "model", n=3, source="local") == 4
    assert wg.hub.list(str(tmp_path), source="local") == ["model"]
    assert wg.hub.help(str(tmp_path), "model", source="local") == "A model."
    with pytest.raises(RuntimeError, match="nothing is fetched"):
        wg.hub.load("owner/repository", "model")


def test_a_library_with_operators_of_torch_cannot_be_loaded():
    with pytest.raises(OSError, match=r"_C\.so needs torch's own library"):
        wg.ops.load_library("/somewhere/_C.so")


def test_kinds_of_kernels_make_sets_and_a_block_without_autocast():
    key, keys = wg._C.DispatchKey, wg._C.DispatchKeySet
    both = keys(key.AutocastCPU) | keys(key.AutocastCUDA)
    assert both.has(key.AutocastCPU) and not both.has(key.CPU)
    assert both - keys(key.AutocastCUDA) == both & keys(key.AutocastCPU) == keys(key.AutocastCPU)
    x = wg.ones(2, 2)
    with wg.autocast("cpu", dtype=wg.bfloat16):
        with wg._C._ExcludeDispatchKeyGuard(keys(key.AutocastCUDA)):
            assert (x @ x).dtype == wg.bfloat16
        with wg._C._ExcludeDispatchKeyGuard(both):
            assert (x @ x).dtype == wg.float32
        assert (x @ x).dtype == wg.bfloat16


def test_modules_that_libraries_of_images_import_are_there():
    print_names = """
        import wengert; wengert.install_as_torch()
        import torch._custom_ops, torch.onnx.operators
        from torch._dynamo.utils import is_compile_supported
        from torch.hub import _get_torch_home, urlparse
        from torch.jit.annotations import BroadcastingList2, BroadcastingList3
        from torch.onnx import register_custom_op_symbolic, symbolic_opset11
        from torch.onnx.symbolic_helper import parse_args
        from torch.utils.model_zoo import load_url, tqdm
        def pair(x: BroadcastingList2[int]): return x
        register_custom_op_symbolic("torchvision::nms", parse_args("v")(pair), 11)
        x = torch.zeros(2, 3)
        shape = torch.onnx.operators.shape_as_tensor(x)
        print(is_compile_supported("cpu"), shape.tolist(), torch.jit._script_if_tracing(pair)(1))
        print(tuple(torch.onnx.operators.reshape_from_tensor_shape(x, shape.flip(0)).shape))
    """
    assert run(print_names).split("\n") == ["False [2, 3] 1", "(3, 2)"]


def test_a_duck_type_handles_functions_that_ask_it():
    class Duck:
        def __torch_function__(self, function, types, args=(), kwargs=None):
            return function.__name__, len(args)

    @wg.overrides.wrap_torch_function(lambda *args: args)
    def area(one, other):
        return one * other

    assert area(2, 3) == 6 and area(Duck(), 3) == ("area", 2)
    assert wg.overrides.is_tensor_like(Duck()) and not wg.overrides.has_torch_function((wg.ones(1),))


def test_import_torch_gives_this_package():
    code = """
        import wengert, pickle
        wengert.install_as_torch(); wengert.install_as_torch()
        import torch, torch.nn as nn, torch.nn.functional as F
        from torch.utils.data import DataLoader
        from torch.optim.lr_scheduler import StepLR
        same = F is wengert.nn.functional and nn.Linear is wengert.nn.Linear and torch.Tensor is wengert.Tensor
        again = pickle.loads(pickle.dumps(nn.Linear(2, 2)))
        errors = []
        for attempt in ("import torch.nonsense", "torch.nonsense", "from torch import nonsense"):
            try:
                exec(attempt)
            except (ImportError, AttributeError) as error:
                errors.append(type(error).__name__)
        print(same, torch.__version__, type(again).__name__, errors, wengert.nn.__spec__.name)
    """
    wanted = "True 2.13.0 Linear ['ModuleNotFoundError', 'AttributeError', 'ImportError'] wengert.nn"
    assert run(code) == wanted


def test_the_real_torch_is_never_mixed_with_it():
    code = """
        import sys, types
        sys.modules["torch"] = types.ModuleType("torch")
        import wengert
        try:
            wengert.install_as_torch()
        except RuntimeError as error:
            print("refused")
    """
    assert run(code) == "refused"


def test_a_program_finds_the_modules_beside_it(tmp_path):
    (tmp_path / "beside.py").write_text("import torch\nONES = torch.ones(2)\n")
    (tmp_path / "program.py").write_text("import sys, beside\nprint(beside.ONES.sum().item(), sys.path[0])\n")
    assert run("", "-m", "wengert.as_torch", str(tmp_path / "program.py")) == f"2.0 {tmp_path.resolve()}"


def test_a_script_and_a_module_run_with_it(tmp_path):
    (tmp_path / "program.py").write_text(
        "import sys, torch\nfrom torch.nn import Linear\nprint(__name__, sys.argv[1:], torch.ones(2).sum().item())\n"
    )
    wanted = "__main__ ['--steps', '3'] 2.0"
    assert run("", "-m", "wengert.as_torch", str(tmp_path / "program.py"), "--steps", "3") == wanted
    before = os.getcwd()
    os.chdir(tmp_path)
    try:
        assert run("", "-m", "wengert.as_torch", "-m", "program", "--steps", "3") == wanted
    finally:
        os.chdir(before)


@pytest.mark.parametrize("name", sorted(name for name, home in LATE.items() if home == f"wengert.{name}"))
def test_each_module_can_be_imported_as_torchs(name: str):
    assert __import__(f"wengert.{name}", fromlist=["_"]).__name__ == f"wengert.{name}"


def test_names_that_libraries_import_from_inside_torch_are_there():
    code = """
        import wengert
        wengert.install_as_torch()
        import torch
        from torch._dynamo import OptimizedModule, disable, mark_static_address
        assert torch._dynamo.eval_frame.OptimizedModule is OptimizedModule
        from torch.distributions.transforms import AffineTransform, _InverseTransform
        from torch.distributions.utils import _standard_normal, _sum_rightmost
        from torch.nn.modules.module import _IncompatibleKeys
        from torch.serialization import FILE_LIKE, MAP_LOCATION
        from torch.utils.data.dataloader import _BaseDataLoaderIter, default_collate
        print(_sum_rightmost(_standard_normal((2, 3, 4), torch.float64, "cpu"), 2).shape, disable(len)([1]))
        print(isinstance(AffineTransform(0, 1).inv, _InverseTransform), torch.utils.hooks.RemovableHandle.__name__)
        mark_static_address(torch.ones(1))
    """
    assert run(code).splitlines() == ["torch.Size([2]) 1", "True RemovableHandle"]


def test_libraries_that_import_what_only_several_processes_use_can_be_imported():
    code = """
        import wengert
        wengert.install_as_torch()
        import torch, torch.distributed.optim, torch.distributed.rpc as rpc
        from torch.distributed.fsdp.wrap import transformer_auto_wrap_policy
        from torch.distributed.tensor import DTensor
        from torch.fx import ProxyableClassMeta as Meta

        def reduce(x: torch.Tensor | DTensor, op=torch.distributed.ReduceOp.SUM): pass

        class Mine(torch.distributed.optim.ZeroRedundancyOptimizer): pass

        same = DTensor is torch.distributed.tensor.DTensor and Meta is torch.fx.ProxyableClassMeta
        assert torch.distributed.pipelining.PipelineStage is torch.distributed.pipelining.PipelineStage
        assert not hasattr(rpc, "api")
        print(rpc.is_available(), isinstance(torch.ones(1), (DTensor, Meta)), same)
        for refused in (transformer_auto_wrap_policy, DTensor, Meta, Mine, torch.distributed.TCPStore):
            try:
                refused(1)
            except RuntimeError as error:
                print(error)
    """
    one = "there is one process here; ask torch.distributed.is_available() first"
    assert run(code).splitlines() == [
        "False False True",
        f"torch.distributed.fsdp.wrap.transformer_auto_wrap_policy: {one}",
        f"torch.distributed.tensor.DTensor: {one}",
        "torch.fx.ProxyableClassMeta: this part of torch.fx is not here",
        f"torch.distributed.optim.ZeroRedundancyOptimizer: {one}",
        f"torch.distributed.TCPStore: {one}",
    ]


def test_what_libraries_ask_of_the_installation_is_answered():
    code = """
        import wengert
        wengert.install_as_torch()
        import importlib.metadata, torch
        from torch._subclasses.fake_tensor import FakeTensor, is_fake
        from torch.fx.experimental.proxy_tensor import get_proxy_mode
        from torch.jit import TracerWarning, _overload
        print(importlib.metadata.version("torch"), torch.torch is torch, "wengert" in torch.__config__.show())
        x = torch.ones(1)
        print(is_fake(x), isinstance(x, FakeTensor), get_proxy_mode(), _overload(len) is len)
        print(torch.hub.HASH_REGEX.search("resnet18-5c106cde.pth")[1])
        try:
            importlib.metadata.version("no-such-package")
        except importlib.metadata.PackageNotFoundError:
            print("not found")
    """
    assert run(code).splitlines() == ["2.13.0 True True", "False False None True", "5c106cde", "not found"]


def test_whether_a_transform_of_functions_runs_is_known():
    active = wg._C._are_functorch_transforms_active
    seen = []
    wg.func.vmap(lambda x: (seen.append(active()), x)[1])(wg.ones(2))
    wg.func.grad(lambda x: (seen.append(active()), x)[1])(wg.tensor(1.0))
    with wg.autograd.forward_ad.dual_level():
        assert seen == [True, True] and not active()


def test_a_condition_in_a_tensor_is_checked_at_once():
    wg._assert_async(wg.tensor(True))
    with pytest.raises(RuntimeError, match="single nonzero value, but got zero"):
        wg._assert_async(wg.tensor(0.0))
    with pytest.raises(RuntimeError, match="too small"):
        wg._assert_async(wg.tensor(False), "too small")


def test_marks_of_a_cuda_profile_are_refused():
    with pytest.raises(RuntimeError, match="NVTX functions not installed"), wg.cuda.nvtx.range("step"):
        pass


def test_functions_are_listed_by_the_module_that_stands_for_torch():
    code = """
    import wengert
    wengert.install_as_torch()
    import torch
    print(torch.mean in torch.overrides.get_overridable_functions()[torch])
    """
    assert run(code) == "True"
    assert wg.mean in wg.overrides.get_overridable_functions()[wg]
