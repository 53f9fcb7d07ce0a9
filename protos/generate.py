"""Generates service/zhangfang/wire from protos/ (``make generate``; ``--check`` only compares)."""

import filecmp
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

from grpc_tools import protoc

PROTOS = Path(__file__).parent
WIRE = PROTOS.parent / "service" / "zhangfang" / "wire"
HEADER = '"""Generated from protos/: do not edit; ``make generate`` makes it anew."""\n'


def generate(target: Path) -> None:
    """Compiles every proto file into the package ``target``, imports rewritten to lie below ``zhangfang.wire``."""
    # protoc looks for its plugins on the path; they lie beside this interpreter, whether its venv is active or not.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    with tempfile.TemporaryDirectory() as scratch:
        sources = sorted(str(path.relative_to(PROTOS)) for path in PROTOS.rglob("*.proto"))
        outputs = [f"--{kind}_out={scratch}" for kind in ("python", "grpc_python", "mypy", "mypy_grpc")]
        if protoc.main(["protoc", f"-I{PROTOS}", f"-I{Path(protoc.__file__).parent / '_proto'}", *outputs, *sources]):
            raise SystemExit("protoc failed")
        for source in sorted(Path(scratch, "zhangfang").rglob("*.py*")):
            code = source.read_text()
            if "_pb2_grpc" in source.name and "Stub" not in code:
                continue  # a file of messages has no service
            goal = target / source.relative_to(Path(scratch, "zhangfang"))
            goal.parent.mkdir(parents=True, exist_ok=True)
            goal.write_text(re.sub(r"^(from|import) zhangfang\.", r"\1 zhangfang.wire.", code, flags=re.MULTILINE))
        for package in {path.parent for path in target.rglob("*.py")} | {target, target / "games"}:
            (package / "__init__.py").write_text(HEADER)


def main() -> None:
    """Generates, or with ``--check`` exits with 1 when the committed code is stale."""
    if "--check" not in sys.argv:
        shutil.rmtree(WIRE, ignore_errors=True)
        generate(WIRE)
        return
    with tempfile.TemporaryDirectory() as scratch:
        generate(Path(scratch))
        fresh = {path.relative_to(scratch) for path in Path(scratch).rglob("*.py*") if "__pycache__" not in path.parts}
        kept = {path.relative_to(WIRE) for path in WIRE.rglob("*.py*") if "__pycache__" not in path.parts}
        different = {path for path in fresh & kept if not filecmp.cmp(Path(scratch, path), WIRE / path, shallow=False)}
        stale = sorted(str(path) for path in (fresh ^ kept) | different)
        if stale:
            raise SystemExit("stale generated code, run `make generate`: " + ", ".join(stale))


if __name__ == "__main__":
    main()
