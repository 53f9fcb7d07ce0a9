"""``python -m zhangfang.bench``, the same as ``zhangfang bench``."""

import typer

from zhangfang.bench.command import bench

if __name__ == "__main__":
    typer.run(bench)
