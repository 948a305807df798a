"""How the package starts: which build runs, how modules are found, what is loaded when it is first asked for."""
