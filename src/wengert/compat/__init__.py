"""The interfaces of other libraries, for programs that were written for them."""
