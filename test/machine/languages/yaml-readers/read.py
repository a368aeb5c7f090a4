"""Prints what libyaml reads in each file: a JSON list of files, of documents each. Fails at a value that JSON does not have."""

import json
import sys

import yaml


def with_text_keys(value):
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise TypeError(f"a key is no text: {list(value)}")
        return {key: with_text_keys(each) for key, each in value.items()}
    return [with_text_keys(each) for each in value] if isinstance(value, list) else value


documents = []
for path in sys.argv[1:]:
    with open(path, "rb") as file:
        documents.append([with_text_keys(each) for each in yaml.load_all(file, Loader=yaml.CSafeLoader)])
json.dump(documents, sys.stdout)
