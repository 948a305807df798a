# Each target sets up what it needs, in a virtual environment of its own (.venv); a second run finds it done.
#
#   make demo [ARGS="--epochs 3"]   train a small network on real digits; results in demo-out/; needs no compiler
#   make test                       build what changed, then the test suite on the compiled build
#   make test-all                   the same with what is exhaustive, for .ci/run and before a release
#   make test-pure                  on the interpreted build what depends on the build, and a share of the samples
#   make browser                    the page on which notebooks run in the browser, in build/browser/site, tried in headless Chromium
#   make test-browser               the explorer page in headless Chromium (tests/browser/README.md); pictures in browser-out/
#   make tidy                       clang-tidy over the C++ sources, where it is installed; after a change to them
#   make check                      format, lint, types, type stubs, layer rule, sizes, C types, examples of the documentation
#   make docs                       the pages and the interface as a site, by Sphinx, how-tos as notebooks: build/docs/index.html
#   make build                      compile what changed, nothing more
#   make sanitize [MORE=tests/core] the kernel tests and a fuzz of the native functions under AddressSanitizer and UBSan
#   make instructions               instructions of hot calls (valgrind) against the recorded ones; ARGS=--record writes them
#   make bench, make parity         beside torch (and JAX, HIPS autograd); TORCH_PYTHON=... names a Python that has them
#   make programs                   programs of other libraries, unchanged, in an environment without torch; writes their table
#   make hunt [MINUTES=10]          search for crashes, hangs, damage and differences, in both builds; SEED=... repeats one
#   make wheel [ARGS=--record]      the compiled and the interpreted wheel, dist/, and their sizes, which --record writes into the README
#   make clean

SHELL := /bin/sh
.DELETE_ON_ERROR:
.PHONY: demo test test-all test-pure test-browser browser check tidy docs build sanitize instructions bench parity programs hunt wheel clean

# The first Python that is new enough.
PYTHON ?= $(shell for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	if $$name -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then echo $$name; break; fi; done)
VENV := .venv
RUN := $(VENV)/bin/python
# Byte code of what is installed is made when it is first imported, and kept, even where the environment says that Python
# is to keep none: of most files none is ever needed.
unexport PYTHONDONTWRITEBYTECODE
INSTALL := $(RUN) -m pip install --quiet --disable-pip-version-check --no-compile
CORE := src/wengert/_core
NATIVE := src/wengert/_kernels/native
COMPILED := setup.py src/wengert/_start/build.py $(wildcard $(CORE)/*.py $(CORE)/*.pxd $(CORE)/*/*.py $(CORE)/*/*.pxd $(NATIVE)/*/*.cpp $(NATIVE)/*/*.hpp $(NATIVE)/*/*.inc)
ARGS ?=
TESTS ?= tests
# Two workers, each with its own threads: as many threads as cores would make them wait for each other.
# What needs a browser has a target of its own.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MPLBACKEND=agg $(RUN) -m pytest -n 2 --ignore=tests/browser $(ARGS)

# ---- set-up ------------------------------------------------------------------------------------------------------------------

# A list of requirements, as pyproject.toml has it.
define requirements
$(RUN) -c "import tomllib; file = tomllib.load(open('pyproject.toml', 'rb')); print(*($(1)), sep='\n')"
endef

$(VENV)/.created:
	@test -n "$(PYTHON)" || { echo "wengert needs Python 3.11 or newer; none was found (PYTHON=... names one)" >&2; exit 1; }
	@test -x $(RUN) || { echo "-- making $(VENV) with $(PYTHON)"; $(PYTHON) -m venv $(VENV); } || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make virtual environments (on Debian and Ubuntu: apt install python3-venv)" >&2; exit 1; }
	@touch $@

# What is needed to build lies in the environment itself, so that a rebuild needs no second one.
$(VENV)/.build-tools: pyproject.toml | $(VENV)/.created
	@echo "-- installing the build tools"
	@$(call requirements,file['build-system']['requires']) > $(VENV)/build-requires.txt
	@$(INSTALL) -r $(VENV)/build-requires.txt
	@touch $@

$(VENV)/.built: $(VENV)/.build-tools $(COMPILED)
	@echo "-- compiling what changed"
	@$(RUN) setup.py --quiet build_ext --inplace
	@touch $@

# Editable installs; the modules compiled above are found up to date.
$(VENV)/.installed-%: $(VENV)/.build-tools pyproject.toml | $(VENV)/.built
	@echo "-- installing wengert[$*]"
	@$(INSTALL) --no-build-isolation --editable ".[$*]"
	@touch $@

# Asked for by name, it looks at the contents of the files, not only at their times.
build: $(VENV)/.built $(VENV)/.installed-test
	@$(RUN) setup.py --quiet build_ext --inplace
	@touch $(VENV)/.built

# ---- to run ------------------------------------------------------------------------------------------------------------------

# Until something has compiled the package, the demo runs on the interpreted build: it is done before a compiler would be.
COMPILED_ONCE := $(wildcard $(VENV)/.built)
DEMO := PYTHONPATH=src $(if $(COMPILED_ONCE),,WENGERT_PURE=1) $(RUN) -m wengert.demo $(ARGS)

$(VENV)/.demo-libraries: pyproject.toml | $(VENV)/.created
	@echo "-- installing NumPy, SciPy and what draws"
	@$(call requirements,file['project']['dependencies'] + file['project']['optional-dependencies']['full']) \
		> $(VENV)/demo-requires.txt
	@$(INSTALL) -r $(VENV)/demo-requires.txt
	@touch $@

demo: $(VENV)/.demo-libraries $(COMPILED_ONCE)
	$(DEMO)
	@$(if $(COMPILED_ONCE),,echo "-- this was the interpreted build; 'make build' compiles it for small operations in a fraction of the time")

test: $(VENV)/.built $(VENV)/.installed-test
	@$(RUN) -m wengert.info
	$(PYTEST) $(TESTS)

test-all: $(VENV)/.built $(VENV)/.installed-test
	@$(RUN) -m wengert.info
	$(PYTEST) --all $(TESTS)

test-pure: $(VENV)/.built $(VENV)/.installed-test
	@WENGERT_PURE=1 $(RUN) -m wengert.info
	WENGERT_PURE=1 $(PYTEST) $(TESTS)

# Says at its end what it could not do: where there is no Chromium, that there is none.
test-browser: $(VENV)/.built $(VENV)/.installed-browser
	MPLBACKEND=agg $(RUN) -m pytest -rs $(ARGS) tests/browser

browser: $(VENV)/.built $(VENV)/.build-tools $(VENV)/.installed-notebooks
	rm -rf build/lib* build/bdist* build/browser/wheel
	WENGERT_PURE=1 $(RUN) -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir build/browser/wheel .
	$(RUN) tools/make_browser.py build/browser/site --wheel build/browser/wheel/*.whl --with-runtime build/browser/runtime --lite
	MPLBACKEND=agg $(RUN) -m pytest -rsP $(ARGS) tests/browser/test_notebooks_page.py tests/browser/test_jupyterlite.py

# The class Tensor gets its methods from the cards: the sources see it by its stub, and these two files are read by themselves.
WITH_STUBS := src/wengert/_core/tensor/base.py src/wengert/ops/return_types.py

check: $(VENV)/.built $(VENV)/.installed-dev
	$(RUN) -m ruff format --check .
	$(RUN) -m ruff check .
	$(RUN) -m mypy
	$(RUN) -m mypy --exclude '(?<!tensor/base)(?<!ops/return_types)\.pyi$$' --cache-dir .mypy_cache/sources
	$(RUN) -m mypy --exclude '\.pyi$$' --cache-dir .mypy_cache/base --follow-imports silent $(WITH_STUBS)
	$(RUN) tools/make_names.py --check
	$(RUN) tools/make_stub.py --check
	$(RUN) tools/check_stub.py
	$(RUN) tools/check_layers.py
	$(RUN) tools/check_size.py
	$(RUN) tools/make_pxd.py --check
	$(RUN) tools/include_code.py --check
	$(RUN) tools/check_examples.py
	$(RUN) tools/notebooks.py
	$(RUN) tools/vendor_page.py --check

# Where clang-tidy is installed (on Debian and Ubuntu: apt install clang-tidy). Minutes for all files; ARGS=... names some.
tidy: $(VENV)/.build-tools
	$(RUN) tools/tidy.py $(ARGS)

# Each warning is an error: links that lead nowhere, pages that no table of contents lists. What was made before goes first.
docs: $(VENV)/.built $(VENV)/.installed-docs
	rm -rf build/docs docs/made
	MPLBACKEND=agg $(RUN) -m sphinx --builder html --conf-dir docs --fail-on-warning --keep-going --nitpicky --quiet . build/docs
	$(RUN) tools/check_site.py build/docs
	if [ -d build/browser/site ]; then cp -R build/browser/site build/docs/browser; fi
	@echo "the documentation: build/docs/index.html"

# In a tree of its own, build/sanitize: the normal build and its record stay as they are.
sanitize: $(VENV)/.installed-test
	$(RUN) tools/sanitize.py $(MORE)

instructions: $(VENV)/.built $(VENV)/.installed-test
	$(RUN) benchmarks/instructions.py $(ARGS)

# A Python that has torch: the one given, or this one if torch was installed into it.
TORCH_PYTHON ?= $(RUN)
define beside_torch
	@if $(TORCH_PYTHON) -c 'import torch' 2>/dev/null; \
	then PYTHONPATH=src$${PYTHONPATH:+:$$PYTHONPATH} $(TORCH_PYTHON) $(1) $(ARGS); \
	else echo "$(2): torch is not installed; '$(RUN) -m pip install wengert[bench]' or TORCH_PYTHON=/path/to/python"; fi
endef

bench: $(VENV)/.built $(VENV)/.installed-test
	$(call beside_torch,benchmarks/run.py,bench)

parity: $(VENV)/.built $(VENV)/.installed-test
	$(call beside_torch,tools/parity.py,parity)

# ARGS=--record TORCH_PYTHON=... records first what torch computes; the table goes into docs/running_torch_programs.md.
programs: $(VENV)/.built $(VENV)/.installed-test
	TORCH_PYTHON="$(TORCH_PYTHON)" $(RUN) tools/run_programs.py $(ARGS)

# One hunt runs beside torch; it is left out, and says so, where there is none.
MINUTES ?= 10
hunt: $(VENV)/.built $(VENV)/.installed-test
	$(RUN) -m tools.hunt --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) --torch-python $(TORCH_PYTHON) $(ARGS)

# Left-overs of earlier builds would travel in the wheel, so the folder it is packed from is made anew.
wheel: $(VENV)/.build-tools
	rm -rf build/lib* build/bdist* dist
	$(INSTALL) "zopfli>=0.2"
	$(RUN) -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist .
	rm -rf build/lib* build/bdist*
	WENGERT_PURE=1 $(RUN) -m pip wheel --quiet --disable-pip-version-check --no-build-isolation --no-deps --wheel-dir dist .
	$(RUN) tools/finish_release.py dist
	$(RUN) tools/check_wheel.py dist $(ARGS)

clean:
	rm -rf $(VENV) .venv-programs build dist docs/made demo-out bench-out browser-out .pytest_cache .mypy_cache .ruff_cache .hypothesis src/wengert.egg-info
	rm -f $(CORE)/*.so $(CORE)/*/*.so $(CORE)/_build-*.txt src/wengert/_kernels/*.so
	find src tests tools benchmarks examples -name __pycache__ -type d -prune -exec rm -rf {} + 2>/dev/null || true
