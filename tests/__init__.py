"""Tests start programs while gRPC is running; its own preparations for a fork may crash the child before it begins."""

import os

os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
