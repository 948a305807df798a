"""The engine: knows no operator; compiled by Cython, or run as it stands.

Its rooms, from the ground up, each of which stands on those before it: `types`, `state`, `graph`, `tensor`,
`operators`, `leaves`, `aliasing`, `recording`, `calls`, `writes`, `backward`, `functions`, `cards`. Beside them lie the
door to C (`door`, `collected`, `vectorcall`, `plain`), the bits of the flags word, the texts of errors, and what a fork
changes.
"""
