"""Every program of the package's README runs as it stands, in its order, but for the address of the service."""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from malote import Malote
from world import PASSWORD, WORLD, new_customer, operator, sent_update

README = Path(os.environ["PYTHONPATH"], "README.md").read_text()


class Readme(unittest.TestCase):
    def test_its_programs_run_and_print(self) -> None:
        with operator() as carrier:
            key = carrier.operator_keys.create({"name": "README", "scope": "read"})["secret"]
        source = "\n".join(re.findall(r"^```python\n(.*?)^```$", README, re.M | re.S))
        source = source.replace("https://malote.example", WORLD["url"]).replace("mok_…", key)
        with Malote(WORLD["url"], email=new_customer(), password=PASSWORD) as malote:
            made = malote.api_keys.create({"name": "README", "scope": "all"})
        settings = {
            "MALOTE_URL": WORLD["url"],
            "MALOTE_KEY_ID": made["api_key"]["id"],
            "MALOTE_KEY": made["secret"],
            "WEBHOOK_SECRET": WORLD["secrets"][0],
        }
        printed = io.StringIO()
        names: dict[str, Any] = {"__name__": "readme"}
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), mock.patch.dict(os.environ, settings):
            with contextlib.redirect_stdout(printed):
                exec(compile(source, "README.md", "exec"), names)
                headers, body = sent_update(0)
                statuses = [names["receive"](given, body) for given in (headers, headers, {})]
            self.assertTrue(Path("labels.pdf").read_bytes().startswith(b"%PDF-"))
        lines = printed.getvalue().splitlines()
        self.assertRegex(lines.pop(0), r"^express \d+\.\d\d economy \d+\.\d\d$")
        self.assertRegex(lines[0], r"^[0-9a-f-]{36} \d+\.\d\d [0-9A-Z]{12}$")
        self.assertEqual(lines[1:3], ["pedido-1042 created", "0 of 0 packages need you"])
        self.assertRegex(lines[3], r"^price ")
        self.assertRegex(lines[4], r"^\d+\.\d\d$")
        self.assertEqual((statuses, len(lines)), ([200, 200, 401], 6))
