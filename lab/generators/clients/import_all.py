"""Imports every module of a package: import_all.py PACKAGE."""

import importlib
import pkgutil
import sys

sys.path.insert(0, ".")
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
    importlib.import_module(module.name)
