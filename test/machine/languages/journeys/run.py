"""Runs the journeys that a service publishes with arazzo-runner: run.py URL INPUTS NAME…

INPUTS are values of the journeys' inputs, as JSON. Prints what ran, a line for each workflow; ends with 1 at the first
step that fails.
"""

import functools
import json
import logging
import re
import sys
import time
from urllib.parse import urljoin

import requests
import yaml
from arazzo_runner import ArazzoRunner, WorkflowExecutionStatus

URL, INPUTS = sys.argv[1], json.loads(sys.argv[2])

# Parts of Arazzo that arazzo-runner 0.9.6 does not know, in its own words. It has no references to components either.
WORDS = {
    r"\$sourceDescriptions\.\w+\.(\w+)": r"\1",
    r"\$workflows\.": "$dependencies.",
    r"\$response\.header\.": "$response.headers.",
    r"== true\b": "== True",
    r"== false\b": "== False",
}


def read(place):
    answer = requests.get(place, timeout=60)
    answer.raise_for_status()
    return answer.content.decode()


@functools.cache
def description(place):
    """An OpenAPI description whose server is the service: arazzo-runner takes an absolute address alone."""
    return {**yaml.load(read(place), yaml.CSafeLoader), "servers": [{"url": URL}]}


def run_workflow(runner, workflow, outputs):
    inputs = workflow.get("inputs", {}).get("properties", {})
    values = {name: schema.get("default") for name, schema in inputs.items()} | INPUTS
    execution = runner.start_workflow(workflow["workflowId"], values)
    state = runner.execution_states[execution]
    state.dependency_outputs = outputs
    while True:
        result = runner.execute_next_step(execution)
        status = result["status"]
        if status == WorkflowExecutionStatus.WORKFLOW_COMPLETE:
            return result["outputs"]
        if status == WorkflowExecutionStatus.RETRY:
            # Left alone, it goes on to the next step.
            time.sleep(result["retry_after"])
            state.goto_step_id = result["step_id"]
        elif status != WorkflowExecutionStatus.STEP_COMPLETE:
            step = result["step_id"]
            sys.exit(f"{workflow['workflowId']}, {step}: {result['error']}\n{state.step_outputs.get(step)}")


def run_journey(name):
    place = f"{URL}/docs/journeys/{name}"
    text = read(place)
    for pattern, word in WORDS.items():
        text = re.sub(pattern, word, text)
    journey = yaml.safe_load(text)
    sources = {each["name"]: description(urljoin(place, each["url"])) for each in journey["sourceDescriptions"]}
    runner = ArazzoRunner(journey, sources)
    outputs = {}
    for workflow in journey["workflows"]:
        outputs[workflow["workflowId"]] = run_workflow(runner, workflow, outputs)
        print(f"{name}: {workflow['workflowId']}")


logging.disable(logging.WARNING)
for name in sys.argv[3:]:
    run_journey(name)
