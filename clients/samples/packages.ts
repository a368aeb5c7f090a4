import { wordsOf } from '../operations.js';
import { methodName } from '../python/resources.js';
import { snakeCase } from '../python/source.js';
import { camelCase } from '../typescript/text.js';
import { literal, python as pythonNotation, typescript as typescriptNotation } from './literals.js';
import { fileOf, type SampleRequest } from './requests.js';

/** Writes samples for the languages that have a client package. */

export function typescript(request: SampleRequest): string {
  const { tag, words, pathValues, query, body, bodies, isForPeople, isList, answers } = request;
  const file = fileOf(request);
  const given = [
    ...pathValues,
    ...(bodies.length > 0 ? [body] : []),
    ...(Object.keys(query).length > 0 ? [query] : []),
  ];
  const values = given.map((value) => literal(value, typescriptNotation)).join(', ');
  const call = `malote.${camelCase(wordsOf(tag))}.${camelCase(words)}(${values})`;
  const fields = isForPeople
    ? { email: 'MALOTE_EMAIL', password: 'MALOTE_PASSWORD' }
    : { clientId: 'MALOTE_KEY_ID', clientSecret: 'MALOTE_KEY' };
  const options = Object.entries({ baseUrl: 'MALOTE_URL', ...fields });
  const use = () => {
    if (isList) return `for await (const each of ${call}) console.log(each);`;
    if (file !== undefined) return `await writeFile('${file}', await ${call});`;
    return answers.length > 0 ? `const answer = await ${call};\nconsole.log(answer);` : `await ${call};`;
  };
  return `${file === undefined ? '' : `import { writeFile } from 'node:fs/promises';\n`}import { Malote } from 'malote-client';

const { ${options.map(([, name]) => `${name} = ''`).join(', ')} } = process.env;
const malote = new Malote({ ${options.map(([field, name]) => `${field}: ${name}`).join(', ')} });
${use()}`;
}

export function python(request: SampleRequest): string {
  const { tag, pathValues, query, body, bodies, isForPeople, isList, answers } = request;
  const file = fileOf(request);
  const margin = '    ';
  const given = [...pathValues, ...(bodies.length > 0 ? [body] : [])];
  const named = Object.entries(query).map(([name, value]) => `${name}=${literal(value, pythonNotation)}`);
  const values = [...given.map((value) => literal(value, pythonNotation, margin)), ...named].join(', ');
  const call = `malote.${snakeCase(wordsOf(tag))}.${methodName(request)}(${values})`;
  const fields = isForPeople
    ? { email: 'MALOTE_EMAIL', password: 'MALOTE_PASSWORD' }
    : { client_id: 'MALOTE_KEY_ID', client_secret: 'MALOTE_KEY' };
  const options = Object.entries(fields).map(([field, name]) => `    ${field}=os.environ["${name}"],\n`);
  const use = () => {
    if (isList) return `for each in ${call}:\n        print(each)`;
    if (file !== undefined) return `Path("${file}").write_bytes(${call}.content)`;
    return answers.length > 0 ? `answer = ${call}\n    print(answer)` : call;
  };
  return `import os
${file === undefined ? '' : 'from pathlib import Path\n'}
from malote import Malote

with Malote(
    os.environ["MALOTE_URL"],
${options.join('')}) as malote:
    ${use()}`;
}
