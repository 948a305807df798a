"""Description of the environment for reports: the mirror of `torch.utils.collect_env`."""

from __future__ import annotations

from ..info import info

__all__ = ["get_pretty_env_info", "main"]


def get_pretty_env_info() -> str:
    """Return versions, build, kernels, threads and machine, a line for each; see `python -m wengert.info`."""
    return "\n".join(f"{name}: {text}" for name, text in info().items())


def main() -> None:
    """Print the description."""
    print("Collecting environment information...")
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
