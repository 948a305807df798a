"""What runs here, for reports: `python -m wengert.utils.collect_env`, as `torch.utils.collect_env`."""

from __future__ import annotations

from ..info import info

__all__ = ["get_pretty_env_info", "main"]


def get_pretty_env_info() -> str:
    """Versions, build, kernels, threads and machine, one to a line; see `python -m wengert.info`."""
    return "\n".join(f"{name}: {text}" for name, text in info().items())


def main() -> None:
    """Print it."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
