"""`torch._functorch.batch_norm_replacement`: batch norms that track nothing, which `vmap` takes."""

from wengert.func import replace_all_batch_norm_modules_ as replace_all_batch_norm_modules_
from wengert.nn import Module
from wengert.nn.modules.batchnorm import _BatchNorm


def batch_norm_without_running_stats(module: Module) -> None:
    """Let a module track nothing more, if it is a batch norm that does."""
    if isinstance(module, _BatchNorm) and module.track_running_stats:
        module.running_mean = module.running_var = module.num_batches_tracked = None
        module.track_running_stats = False


__all__ = ["batch_norm_without_running_stats", "replace_all_batch_norm_modules_"]
