"""What `make docs` makes before Sphinx reads: the table of contents, the pages of the API, the pictures."""
