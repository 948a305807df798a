"""The door to matplotlib: imported only when something is drawn, never through pyplot, which keeps figures alive."""

from typing import Any

__all__ = ["new_figure"]


def new_figure(caller: str, size: tuple[float, float]) -> Any:
    """A new matplotlib figure that draws into memory, on a white ground.

    Args:
        caller: Name of the function that needs it, for the message.
        size: Width and height in inches.

    Raises:
        ImportError: if matplotlib is not installed.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(f"{caller} needs matplotlib to draw PNG files: pip install 'wengert[full]'") from error
    figure = Figure(figsize=size, facecolor="white")
    FigureCanvasAgg(figure)
    return figure
