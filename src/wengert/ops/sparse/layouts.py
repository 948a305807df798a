"""The layouts of compressed sparse tensors."""

from __future__ import annotations

from ..._core.types.devices import layout

_IN_PACKAGE = ("sparse_bsc", "sparse_bsr", "sparse_csc", "sparse_csr")


class Compressed(layout):
    """Compressed layout: nonzero elements line by line, each with its index in the line.

    Attributes:
        name: name of the layout.
        title: its name in torch's errors.
        rows: whether lines are rows, or rows of blocks; otherwise columns.
        blocks: whether entries are blocks.
    """

    __slots__ = ()

    @property
    def title(self) -> str:
        """Its name in torch's errors."""
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
        """Names of bounds and indices."""
        return ("crow_indices", "col_indices") if self.rows else ("ccol_indices", "row_indices")


sparse_csr = Compressed("sparse_csr")
sparse_csc = Compressed("sparse_csc")
sparse_bsr = Compressed("sparse_bsr")
sparse_bsc = Compressed("sparse_bsc")
ALL = (sparse_csr, sparse_csc, sparse_bsr, sparse_bsc)
