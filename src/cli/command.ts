import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CliConfig } from '../base/cli-config.js';
import type { VerifyReceiver } from '../outbox/verification.js';
import type { Printer } from './printer.js';
import type { Client } from './remote/client.js';
import type { SignIn } from './remote/credentials.js';
import { lookUps } from './remote/references.js';
import type { Terminal } from './terminal.js';

/** Parts of the service that commands use by themselves. */
export interface Needs {
  readonly verifyReceiver: VerifyReceiver;
}

export interface Session extends Client, Needs {
  readonly signIn: SignIn;
  readonly print: Printer;
  readonly terminal: Terminal;
  readonly config: CliConfig;
}

export interface CommonOptions {
  url?: string;
  json?: boolean;
  idempotencyKey?: string;
}

export type OpenSession = (options: CommonOptions) => Session;

/**
 * Words about a command: `usage` is its name and operands, e.g. `endpoints show <endpoint>`. An operand, or an option's
 * value, that is called `<user>`, `<package>` or `<order>` may be anything that names one; the command gets its id.
 */
export interface CommandText {
  readonly usage: string;
  readonly summary: string;
  /** Arguments of the example; samples of the operands when left out. */
  readonly example?: string;
  readonly alias?: string;
}

const samples: Readonly<Record<string, string>> = {
  user: 'ana@example.com',
  'user-or-deleted': 'ana@example.com',
  'deleted-user': 'ana@example.com',
  email: 'operator@malote.local',
  order: 'pedido-1042',
  package: '7ZK3M9P2QP1S',
  code: '10',
  task: '01930f63-2a4e-7c31-9b5d-4e6f7a8b9c0d',
  endpoint: '01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29',
  'webhook-id': '01930f70-2b6c-7d15-9a3e-5c4b3a291807',
  key: '01930f74-6c1f-7a02-8d35-3f2e1d0c9b8a',
  erasure: '01930f80-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
  'payment-method': '7',
  version: '1',
};

/** A command line that works, for the help. */
function exampleOf({ usage, example }: CommandText): string {
  const sample = usage.replace(/[<[]([\w-]+)[>\]]/g, (operand, name) => samples[name] ?? operand);
  return example === undefined ? sample : `${usage.replace(/ [<[].*/, '')} ${example}`;
}

interface CommandSpec<Options extends object> extends CommandText {
  readonly options?: readonly Option[];
  readonly run: (session: Session, options: Options, ...operands: string[]) => Promise<void>;
}

export type Mount = (program: Command, open: OpenSession, terminal: Terminal) => void;

export const command =
  <Options extends object>(spec: CommandSpec<Options>): Mount =>
  (program, open) => {
    const [first = '', second = '', ...operands] = spec.usage.split(' ');
    const grouped = /^[a-z]/.test(second);
    const parent = grouped ? groupOf(program, first) : program;
    const leaf = parent.command(grouped ? [second, ...operands].join(' ') : spec.usage);
    const [firstLine = ''] = spec.summary.split('\n', 1);
    leaf
      .summary(firstLine)
      .description(spec.summary)
      .addHelpText('after', `\nExample:\n  $ malote ${exampleOf(spec)}`);
    if (spec.alias !== undefined) leaf.alias(spec.alias);
    for (const option of spec.options ?? []) leaf.addOption(option);
    leaf.action(async () => {
      const session = open(leaf.optsWithGlobals<CommonOptions>());
      await nameOptions(session, leaf);
      const operandNames = leaf.registeredArguments.map((operand) => operand.name());
      const ids = leaf.args.map((text, at) => idOf(session, operandNames[at], text));
      await spec.run(session, leaf.opts<Options>(), ...(await Promise.all(ids)));
    });
  };

/** Replaces names in options by the ids that they stand for. */
async function nameOptions(session: Session, leaf: Command): Promise<void> {
  for (const option of leaf.options) {
    const [, name] = VALUE_NAME.exec(option.flags) ?? [];
    const value: unknown = leaf.getOptionValue(option.attributeName());
    if (typeof value === 'string') leaf.setOptionValue(option.attributeName(), await idOf(session, name, value));
  }
}

const VALUE_NAME = /[<[]([\w-]+)/;

const idOf = async (session: Session, name: string | undefined, text: string): Promise<string> =>
  lookUps[name ?? '']?.(session, text) ?? text;

function groupOf(program: Command, name: string): Command {
  return program.commands.find((group) => group.name() === name) ?? program.command(name);
}

/** An option whose value is a text, or that has no value: `flags` says which. */
export const option = (flags: string, description: string): Option => new Option(flags, description);

export const whole = (flags: string, description: string): Option => option(flags, description).argParser(wholeNumber);

export const oneOf = (flags: string, description: string, words: readonly string[]): Option =>
  option(flags, description).choices(words);

export const required = (option: Option): Option => option.makeOptionMandatory();

/** A whole number of the command line. Throws what commander reports as wrong usage. */
function wholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(value);
}

export interface PasswordOptions {
  passwordStdin?: boolean;
}

export const passwordStdin: Option = option('--password-stdin', 'read the password from standard input');
