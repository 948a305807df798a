# Made by tools/make_stub.py; do not edit.
