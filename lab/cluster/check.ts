/**
 * Checks the files of containers against published schemas, as no container runs here: npx tsx lab/cluster/check.ts.
 * compose.yaml against the Compose Specification, the manifests against those of Kubernetes, and the units against
 * systemd. promtool (in Debian's `prometheus`) tests the alert rules. Ends with 1 when one does not fit.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { installPromtool, pythonWith } from './packages.js';

const execute = promisify(execFile);
const FOLDER = 'deploy';

// Its merge keys are YAML's, which the Compose Specification does not know by itself.
const COMPOSE = `
import sys, yaml, compose_spec
text = yaml.safe_dump(yaml.safe_load(open(sys.argv[1])))
compose_spec.PyCompose.from_yaml(text).validate()
print(f"{sys.argv[1]}: fit for the Compose Specification")`;

await installPromtool(console.log);
const python = await pythonWith('schemas', ['kubernetes-validate', 'compose-spec', 'pyyaml'], console.log);
const files = (await readdir(FOLDER, { recursive: true })).map((name) => `${FOLDER}/${name}`);
const filesThat = (end: RegExp): string[] => files.filter((file) => end.test(file)).sort();
const units = filesThat(/\.service$/);

type Check = [program: string, args: readonly string[]];
const checks: readonly Check[] = [
  ...filesThat(/\/compose\.yaml$/).map((file): Check => [python, ['-c', COMPOSE, file]]),
  [python, ['-m', 'kubernetes_validate', '--strict', ...filesThat(/\/kubernetes\/[^/]+\.yaml$/)]],
  // The programs that the units start are on other machines.
  ['systemd-analyze', ['verify', ...units]],
  ['promtool', ['check', 'config', `${FOLDER}/observability/prometheus.yml`]],
  ['promtool', ['test', 'rules', `${FOLDER}/observability/alerts.test.yml`]],
];
for (const [program, args] of checks) {
  const { stdout, stderr } = await execute(program, args).catch((error: ExecFileException) => {
    // A missing program has written nothing.
    const stderr = error.code === 'ENOENT' ? `${program} is not installed` : error.stderr;
    return { stdout: error.stdout ?? '', stderr: stderr ?? '' };
  });
  const said = `${stdout}${stderr}`.split('\n').filter((line) => line && !/is not executable/.test(line));
  const wrong = said.filter((line) => !/ passed for | fit |^(Checking|Unit Testing:) | ?SUCCESS/.test(line));
  console.log(said.join('\n') || `${units.join(', ')}: nothing to say`);
  if (wrong.length > 0) process.exitCode = 1;
}
