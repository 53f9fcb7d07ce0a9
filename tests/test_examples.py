"""The examples in docstrings are run: what a stranger reads there is true."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import zhangfang

ROOT = Path(zhangfang.__file__).parent
MODULES = sorted(
    ".".join(path.relative_to(ROOT.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
    if "wire" not in path.parts and ">>> " in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_are_true(name: str) -> None:
    result = doctest.testmod(import_module(name))

    assert result.attempted
    assert not result.failed
