import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { journeysIn, setStage, workflowsOf } from '../../support/journeys.js';
import { arazzoRunner, describeWith } from '../../support/tools.js';

/** The journeys as they are published, with a runner of another project and language than the one of the guide. */

const stage = await setStage();
afterAll(() => stage.stop());

describeWith('arazzo-runner', 'arazzo-runner', (python) => {
  test('leads each journey to its end', async () => {
    const files = await journeysIn('contracts/journeys');
    const program = 'test/machine/languages/journeys/run.py';
    const args = [program, stage.service.url, JSON.stringify(stage.inputs), ...files.map((file) => basename(file))];
    const env = { ...process.env, PYTHONPATH: arazzoRunner };
    expect((await promisify(execFile)(python, args, { env })).stdout.trim().split('\n')).toEqual(workflowsOf(files));
  });
});
