"""Judges: processes beside the server that judge finished hands, so that one server uses more than one core.

``ruling.py`` is what is done with one hand, wherever it is done. ``process.py`` is a judge, ``pool.py`` are those of a
server: it asks them in bundles and judges itself whatever they do not answer.
"""
