"""``python -m zhangfang.cli`` is the program ``zhangfang``."""

from zhangfang.cli import main

main()
