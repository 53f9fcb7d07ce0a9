"""The writer: everything that is appended goes through it, many commands in one transaction.

``thread.py`` does it, in a thread. ``process.py`` is a process beside the server that has such a thread, ``desk.py`` is
where a server hands its commands in, whoever writes.
"""
