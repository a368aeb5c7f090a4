"""Tries the package `malote` against a running service, which the file that MALOTE_TEST names describes."""

import os
import sys
import unittest
from pathlib import Path

if sys.version_info < (3, 11):
    # 3.10 needs typing_extensions, which is not on every machine.
    print("not tried: the client package of Python (Python is older than 3.11)", file=sys.stderr)
    sys.exit(1 if os.environ.get("REQUIRE_PYTHON") == "1" else 0)

tests = unittest.defaultTestLoader.discover(str(Path(__file__).parent))
result = unittest.TextTestRunner(verbosity=2).run(tests)
sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)
