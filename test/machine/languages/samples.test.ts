import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { python } from '../../../clients/python/build.js';
import samples from '../../../generated/samples.json' with { type: 'json' };
import { bundles, fields, operationsOf, resolve } from '../../contract/contract-files.js';
import { ownFolder } from '../../support/folder.js';
import { must } from '../../support/http.js';
import { PASSWORD } from '../../support/password.js';
import { listening } from '../../support/port.js';
import { ownService } from '../../support/services.js';
import { describeWith } from '../../support/tools.js';
import { installed } from './typescript-project.js';

/** The samples of the guide send the requests that the contract's examples describe. */

type Language = 'curl' | 'typescript' | 'python' | 'php' | 'java';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
}

const at = (node: unknown, ...keys: string[]): unknown =>
  keys.reduce((value, key) => fields(resolve(bundles.rest, value))[key], node);
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const operations = new Map(operationsOf(bundles.rest).map((operation) => [operation.id, operation]));

/** The request that a sample must send, by the contract. */
function described(id: string, example: string): Sent {
  const { path = '', method = '', node = {} } = operations.get(id) ?? {};
  const parameters = listOf(node['parameters']).map((each) => fields(resolve(bundles.rest, each)));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    return String(parameters.find((each) => each['name'] === name)?.['example']);
  });
  const query = parameters.filter((each) => each['in'] === 'query' && each['required'] === true);
  const asked = query.map((each) => `${each['name']}=${each['example']}`).join('&');
  const examples = fields(at(node, 'requestBody', 'content', 'application/json', 'examples'));
  const named = at(examples, example) ?? { $ref: `#/components/examples/${example}` };
  return { method, path: asked ? `${filled}?${asked}` : filled, body: example === '' ? null : at(named, 'value') };
}

const all = Object.entries(samples).flatMap(([id, examples]) =>
  Object.entries(examples).map(([example, code]) => ({ id, code, sent: described(id, example) })),
);

/** A service that writes down what it is asked for, and answers as the contract describes. */
const asked: Sent[] = [];
const recorder = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { method = '', url = '' } = request;
  const path = url.replace(/[?&]page=1&page_size=100$/, '');
  if (url === '/auth/token' || url === '/auth/login') {
    response.setHeader('Content-Type', 'application/json');
    return void response.end('{"access_token":"a.b.c","token_type":"Bearer","expires_in":3600}');
  }
  const text = Buffer.concat(chunks).toString();
  asked.push({ method, path, body: text === '' ? null : JSON.parse(text) });
  const { node } = operationAt(method, path);
  const [[status = '200', answer] = []] = Object.entries(fields(node['responses'])).filter(([code]) => code[0] === '2');
  const [[type = '', content] = []] = Object.entries(fields(at(answer, 'content')));
  if (type === '') return void response.writeHead(Number(status)).end();
  const [example] = Object.values(fields(fields(content)['examples']));
  const page = { pagination: { page: 1, page_size: 100, total_items: 0, total_pages: 0 }, data: [] };
  const value = fields(at(example, 'value'));
  const body = type === 'application/json' ? JSON.stringify('pagination' in value ? page : value) : 'bytes';
  response.writeHead(Number(status), { 'Content-Type': type }).end(body);
});

function operationAt(method: string, path: string) {
  const found = all.find(({ sent }) => sent.method === method && sent.path === path);
  const operation = operations.get(found?.id ?? '');
  if (!operation) throw new Error(`No sample sends ${method} ${path}.`);
  return operation;
}

const url = `http://127.0.0.1:${await listening(recorder)}`;
const folder = await ownFolder();
const project = await installed();
const service = await ownService({}, {});
afterAll(() => void recorder.close());
beforeEach(() => void asked.splice(0));

const toRecorder = {
  MALOTE_URL: url,
  MALOTE_TOKEN: 'a.b.c',
  MALOTE_KEY_ID: 'id',
  MALOTE_KEY: 'mak_key',
  MALOTE_EMAIL: 'ana@example.com',
  MALOTE_PASSWORD: PASSWORD,
};

/** The settings of a customer of the real service. */
async function ofCustomer() {
  const { rest, token, email } = await service.customer();
  const { api_key, secret } = must(await rest.POST('/api/v1/api-keys', { body: { name: 'Shop', scope: 'all' } }));
  return {
    ...toRecorder,
    MALOTE_URL: service.url,
    MALOTE_TOKEN: token,
    MALOTE_KEY_ID: api_key.id,
    MALOTE_KEY: secret,
    MALOTE_EMAIL: email,
  };
}

/** Writes the samples as files of their own folder, with the ending, and gives the folder. */
async function written(language: Language, ending: string, chosen = all): Promise<{ cwd: string; files: string[] }> {
  const cwd = join(folder, `${language}-${chosen.length}`);
  await mkdir(cwd, { recursive: true });
  const files = chosen.map((_, index) => join(cwd, `sample${index}.${ending}`));
  for (const [index, { code }] of chosen.entries()) await writeFile(files[index] ?? '', code[language]);
  return { cwd, files };
}

type Run = (env: Record<string, string>, chosen?: typeof all) => Promise<string>;

/** Runs a command until it ends. Resolves to its output. */
async function output(command: string, args: readonly string[], cwd: string, env: Record<string, string>) {
  const all = { PATH: process.env['PATH'], ...env };
  const { stdout } = await promisify(execFile)(command, args, { cwd, env: all, maxBuffer: 50_000_000 });
  return stdout;
}

/** The tests of a language. `run` runs samples one after another, and fails if one ends with an error. */
function sendTheirRequests(run: Run): void {
  test('send the requests of the examples', async () => {
    await run(toRecorder);
    expect(asked).toEqual(all.map(({ sent }) => sent));
  });

  test('work against the service', async () => {
    const some = [
      ['createProduct', 'ProductInput'],
      ['createOrder', 'OrderCreateByDimensions'],
      ['quote', 'QuoteCreate'],
      ['listOrders', ''],
    ] as const;
    const chosen = some.map(([id, example]) => {
      const found = all.find(({ id: each, sent }) => each === id && sent.body === described(id, example).body);
      if (!found) throw new Error(`No sample of ${id}.`);
      return found;
    });
    const printed = await run(await ofCustomer(), chosen);
    expect(printed).toMatch(/sku[\s\S]*tracking_code[\s\S]*promised_date[\s\S]*external_id/);
  });
}

test('every operation has a sample, except log-ins and those that take a file', () => {
  const inContract = [...operations.values()].filter(
    ({ node }) => node['x-static'] !== true && !['login', 'issueToken'].includes(String(node['operationId'])),
  );
  const without = inContract.map(({ id }) => id).filter((id) => !(id in samples));
  expect(without).toEqual(['putLogo']);
});

describe('samples for curl', () => {
  sendTheirRequests(async (env, chosen = all) => {
    const { cwd } = await written('curl', 'sh', chosen);
    const script = join(cwd, 'all.sh');
    await writeFile(script, chosen.map(({ code }) => `${code.curl} -sS --fail-with-body || exit 1\necho`).join('\n'));
    return output('bash', [script], cwd, env);
  });
});

describe('samples for TypeScript', () => {
  test('compile for strict integrators', () => {
    const complaints = project.complaints(all.map(({ code }) => code.typescript));
    expect(complaints.flat()).toEqual([]);
  });

  sendTheirRequests(async (env, chosen = all) => {
    const cwd = join(project.folder, `samples-${chosen.length}`);
    await mkdir(cwd, { recursive: true });
    for (const [index, { code }] of chosen.entries()) await writeFile(join(cwd, `sample${index}.mts`), code.typescript);
    const imports = chosen.map((_, index) => `await import('./sample${index}.mts');\n`);
    await writeFile(join(cwd, 'all.mts'), imports.join(''));
    return output(process.execPath, ['all.mts'], cwd, env);
  });
});

describeWith('python', 'samples for Python', (path) => {
  sendTheirRequests(async (env, chosen = all) => {
    const [{ cwd, files }, made] = [await written('python', 'py', chosen), join(folder, 'python-package')];
    await python(made);
    const runner = `import runpy, sys\nfor each in sys.argv[1:]: runpy.run_path(each)`;
    const settings = { PYTHONPATH: made, PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1' };
    return output(path, ['-c', runner, ...files], cwd, { ...env, ...settings });
  });
});

describeWith('php', 'samples for PHP', (path) => {
  sendTheirRequests(async (env, chosen = all) => {
    const { cwd, files } = await written('php', 'php', chosen);
    const printed: string[] = [];
    for (const file of files) printed.push(await output(path, [file], cwd, env));
    return printed.join('');
  });
});

describeWith('java', 'samples for Java', (javac) => {
  sendTheirRequests(async (env, chosen = all) => {
    const cwd = join(folder, `java-${chosen.length}`);
    const classes: string[] = [];
    for (const [index, { code }] of chosen.entries()) {
      const inPackage = join(cwd, `sample${index}`);
      await mkdir(inPackage, { recursive: true });
      const [, name = ''] = /public class (\w+)/.exec(code.java) ?? [];
      await writeFile(join(inPackage, `${name}.java`), `package sample${index};\n${code.java}`);
      classes.push(`sample${index}.${name}`);
    }
    const calls = classes.map((name) => `    ${name}.main(args);\n`).join('');
    const all = `class All {\n  public static void main(String[] args) throws Exception {\n${calls}  }\n}\n`;
    await writeFile(join(cwd, 'All.java'), all);
    await output(javac, ['-encoding', 'UTF-8', 'All.java'], cwd, {});
    return output('java', ['-Dfile.encoding=UTF-8', 'All'], cwd, env);
  });
});
