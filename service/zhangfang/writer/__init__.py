"""The writer: everything that is appended goes through it, many commands in one transaction.

``queue.py`` is what waits. ``thread.py`` writes, in a thread. ``process.py`` is a process beside the server that has
such a thread, ``line.py`` is the server's line to it, and ``desk.py`` where a server hands its commands in.
"""
