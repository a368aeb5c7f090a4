// Writes the regular part of a new operation into its contract: parameters, headers and error answers as every other
// operation has them. Its description, schemas and examples are left to be written; until then the contract
// does not lint. npm run new-operation -- getLabel get /api/v1/orders/{id}/label --tag Orders --summary 'Get a label'
// --answer Label
import { readFile, writeFile } from 'node:fs/promises';
import { Argument, Command, Option } from 'commander';
import { contracts, read } from './codegen/files.js';
import {
  contractOf,
  inserted,
  type Method,
  methods,
  type NewOperation,
  operationText,
  pathParameters,
} from './codegen/new-operation.js';

type Options = Omit<NewOperation, 'id' | 'method' | 'path'>;

const { version }: { version: string } = JSON.parse(
  await readFile(new URL('../package.json', import.meta.url), 'utf8'),
);
const [major, minor] = version.split('.');

await new Command('npm run new-operation --')
  .description('Writes the regular part of a new REST operation into contracts/.')
  .argument('<operationId>')
  .addArgument(new Argument('<method>').choices(methods))
  .argument('<path>', 'begins with /operator/v1/ for the contract of D, else with /api/v1/')
  .requiredOption('--tag <tag>', 'a tag of the contract')
  .requiredOption('--summary <text>', 'a few words, as a command')
  .option('--answer <schema>', 'what it answers; nothing (204) unless given')
  .option('--body <schema>', 'what it takes')
  .addOption(new Option('--status <status>', 'of success (default: 200, or 204)').choices(['200', '201', '202', '204']))
  .option('--list', 'the answer is a page of a list')
  .option('--versioned', 'the record has an ETag')
  .option('--operators-only', 'in the contract of A: customers get 403')
  .option('--since <version>', 'the version that brings it', `${major}.${Number(minor) + 1}.0`)
  .action(async (id: string, method: Method, path: string, options: Options) => {
    const { file, shared } = contractOf(path);
    const contract = await read(file);
    const parameters = new Map([
      ...pathParameters(await read('openapi.yaml'), shared),
      ...pathParameters(contract, '#'),
    ]);
    const text = operationText({ ...options, id, method, path }, parameters);
    await writeFile(new URL(file, contracts), inserted(contract, path, text));
    const names = [options.answer, options.body].filter((name) => name !== undefined);
    console.log(`contracts/${file} has ${id}. Next:
- say in a "description" what it does and when it is refused, and what its success means;
- write the schemas and examples that it refers to and that are not there yet: ${names.join(', ') || 'none'};
- go on as CONTRIBUTING.md says under "How to add an endpoint".`);
  })
  .parseAsync();
