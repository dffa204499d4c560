"""Finds the program imghost, which is not written in Python.

    subprocess.run([imghost.executable(), "run", "book.lua"], check=True)
"""

import os

__version__ = "@VERSION@"


def executable():
    """Returns the path of the program."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "imghost")
