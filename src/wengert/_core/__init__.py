"""The engine: independent of the operators; compiled by Cython, or interpreted.

Its rooms, from the ground up, each of which imports only those before it: `types`, `state`, `graph`, `tensor`,
`operators`, `leaves`, `aliasing`, `recording`, `calls`, `writes`, `backward`, `functions`, `cards`. Beside them are the
door to C (`door`, `collected`, `vectorcall`, `shortcuts`, `plain`), attributes and calls of modules (`holders`), the
bits of the flags word, the texts of errors, and the count of forks.
"""
