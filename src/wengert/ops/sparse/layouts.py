"""The layouts of compressed sparse tensors."""

from __future__ import annotations

from ..._core.types.devices import layout

_IN_PACKAGE = ("sparse_bsc", "sparse_bsr", "sparse_csc", "sparse_csr")


class Compressed(layout):
    """How elements are kept: those that are not zero line by line, each by its place in the line.

    Attributes:
        name: of the layout.
        title: its name in torch's errors.
        rows: lines are rows, or rows of blocks; otherwise columns.
        blocks: entries are blocks.
    """

    __slots__ = ()

    @property
    def title(self) -> str:
        """The name that torch's errors give it."""
        return "Sparse" + self.name[len("sparse_") :].capitalize()

    @property
    def short(self) -> str:
        """Its three letters."""
        return self.name[len("sparse_") :].upper()

    @property
    def rows(self) -> bool:
        """True if lines are rows, or rows of blocks."""
        return self.name.endswith("r")

    @property
    def blocks(self) -> bool:
        """True if entries are blocks."""
        return "_b" in self.name

    @property
    def words(self) -> tuple[str, str]:
        """What bounds and places are called."""
        return ("crow_indices", "col_indices") if self.rows else ("ccol_indices", "row_indices")


sparse_csr = Compressed("sparse_csr")
sparse_csc = Compressed("sparse_csc")
sparse_bsr = Compressed("sparse_bsr")
sparse_bsc = Compressed("sparse_bsc")
ALL = (sparse_csr, sparse_csc, sparse_bsr, sparse_bsc)
