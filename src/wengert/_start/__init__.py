"""Start of the package: the choice of the build, the finder of modules, names that are loaded at their first use."""
