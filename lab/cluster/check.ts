/**
 * Checks the deployment's files against published schemas, because no container runs here: npx tsx
 * lab/cluster/check.ts. Checks compose.yaml against the Compose Specification, the manifests against Kubernetes'
 * schemas, and the units with systemd. promtool (in Debian's `prometheus`) tests the alert rules. Ends with 1 if a file
 * does not fit.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { installPromtool, pythonWith } from './packages.js';

const execute = promisify(execFile);
const FOLDER = 'deploy';

// Merge keys belong to YAML, and the Compose Specification does not describe them.
const COMPOSE = `
import sys, yaml, compose_spec
text = yaml.safe_dump(yaml.safe_load(open(sys.argv[1])))
compose_spec.PyCompose.from_yaml(text).validate()
print(f"{sys.argv[1]}: fit for the Compose Specification")`;

// Kinds of other operators (CloudNativePG, Prometheus) have their own schemas, which are not checked here.
const KUBERNETES = `
import subprocess, sys, yaml, kubernetes_validate
rendered = subprocess.run(["kubectl", "kustomize", sys.argv[1]], check=True, capture_output=True, text=True).stdout
manifests = list(yaml.safe_load_all(rendered))
known = [each for each in manifests if each["apiVersion"].split("/")[0].endswith((".k8s.io", "v1", "apps", "batch", "policy", "autoscaling"))]
for each in known:
    kubernetes_validate.validate(each, sys.argv[2], strict=True)
print(f"{sys.argv[1]}: {len(known)} of {len(manifests)} manifests fit for Kubernetes {sys.argv[2]}")`;
const KUBERNETES_VERSION = '1.37';

await installPromtool(console.log);
const python = await pythonWith('schemas', ['kubernetes-validate', 'compose-spec', 'pyyaml'], console.log);
const files = (await readdir(FOLDER, { recursive: true })).map((name) => `${FOLDER}/${name}`);
const filesThat = (end: RegExp): string[] => files.filter((file) => end.test(file)).sort();
const units = filesThat(/\.service$/);

type Check = [program: string, args: readonly string[]];
const checks: readonly Check[] = [
  ...filesThat(/\/compose\.yaml$/).map((file): Check => [python, ['-c', COMPOSE, file]]),
  [python, ['-c', KUBERNETES, `${FOLDER}/kubernetes/production`, KUBERNETES_VERSION]],
  // The programs that the units start are on other machines.
  ['systemd-analyze', ['verify', ...units]],
  ['promtool', ['check', 'config', `${FOLDER}/observability/prometheus.yml`]],
  ...filesThat(/\.test\.yml$/).map((file): Check => ['promtool', ['test', 'rules', file]]),
];
for (const [program, args] of checks) {
  const { stdout, stderr } = await execute(program, args).catch((error: ExecFileException) => {
    // A missing program prints nothing.
    const stderr = error.code === 'ENOENT' ? `${program} is not installed` : error.stderr;
    return { stdout: error.stdout ?? '', stderr: stderr ?? '' };
  });
  const said = `${stdout}${stderr}`.split('\n').filter((line) => line && !/is not executable/.test(line));
  const wrong = said.filter((line) => !/ passed for | fit |^(Checking|Unit Testing:) | ?SUCCESS/.test(line));
  console.log(said.join('\n') || `${units.join(', ')}: nothing to say`);
  if (wrong.length > 0) process.exitCode = 1;
}
