import { type Command, InvalidArgumentError, Option } from 'commander';
import type { VerifyReceiver } from '../endpoints/verification.js';
import type { CliConfig } from './config.js';
import type { Printer } from './printer.js';
import type { Client } from './remote/client.js';
import type { SignIn, SignInOptions } from './remote/credentials.js';
import { lookUps } from './remote/references.js';
import type { Terminal } from './terminal.js';

/** The parts of the service that commands use. */
export interface Needs extends Pick<SignInOptions, 'markCost'> {
  readonly verifyReceiver: VerifyReceiver;
}

export interface Session extends Client, Needs {
  /** Address of the service. */
  readonly url: string;
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
 * The texts of a command. `usage` is its name and operands, for example `endpoints show <endpoint>`. An operand or an
 * option value named `<user>`, `<package>` or `<order>` may be any name of one; the command gets its id.
 */
export interface CommandText {
  readonly usage: string;
  readonly summary: string;
  /** Arguments of the example in the help. The default is a sample for each operand. */
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

/** Makes a valid command line for the help. */
function exampleOf({ usage, example }: CommandText): string {
  const sample = usage.replace(/[<[]([\w-]+)[>\]]/g, (operand, name) => samples[name] ?? operand);
  return example === undefined ? sample : `${usage.replace(/ [<[].*/, '')} ${example}`;
}

/** An option that knows the type of its value. */
class Flag<Value> extends Option {
  declare readonly '~value'?: Value;
}
type RequiredFlag<Value> = Flag<Value> & { readonly isRequired: true };
export type Flags = Readonly<Record<string, Flag<unknown>>>;
type ValueOf<Of> = Of extends Flag<infer Value> ? Value : never;
type RequiredOf<Of> = { [Name in keyof Of]: Of[Name] extends RequiredFlag<unknown> ? Name : never }[keyof Of];

/** The values of options, by the command's names. Missing options are undefined. */
export type OptionsOf<Of> = { [Name in RequiredOf<Of>]: ValueOf<Of[Name]> } & {
  [Name in Exclude<keyof Of, RequiredOf<Of>>]?: ValueOf<Of[Name]>;
};

interface CommandSpec<Of extends Flags> extends CommandText {
  readonly options?: Of;
  readonly run: (session: Session, options: OptionsOf<Of>, ...operands: string[]) => Promise<void>;
}

export type Mount = (program: Command, open: OpenSession, terminal: Terminal) => void;

export const command =
  <Of extends Flags = Record<never, never>>(spec: CommandSpec<Of>): Mount =>
  (program, open) => {
    const [first = '', second = '', ...operands] = spec.usage.split(' ');
    const grouped = /^[a-z]/.test(second);
    const group = () => program.commands.find((each) => each.name() === first) ?? program.command(first);
    const parent = grouped ? group() : program;
    const leaf = parent.command(grouped ? [second, ...operands].join(' ') : spec.usage);
    const [firstLine = ''] = spec.summary.split('\n', 1);
    leaf
      .summary(firstLine)
      .description(spec.summary)
      .addHelpText('after', `\nExample:\n  $ ${program.name()} ${exampleOf(spec)}`);
    if (spec.alias !== undefined) leaf.alias(spec.alias);
    for (const each of Object.values<Option>(spec.options ?? {})) leaf.addOption(each);
    leaf.action(async () => {
      const session = open(leaf.optsWithGlobals<CommonOptions>());
      const values = await valuesOf(session, leaf, spec.options ?? {});
      const operandNames = leaf.registeredArguments.map((operand) => operand.name());
      const ids = leaf.args.map((text, at) => idOf(session, operandNames[at], text));
      await spec.run(session, values, ...(await Promise.all(ids)));
    });
  };

/** Reads the given option values, with ids in place of names. */
async function valuesOf(session: Session, leaf: Command, flags: Flags) {
  const values: unknown[][] = [];
  for (const [key, each] of Object.entries(flags)) {
    const [, name] = VALUE_NAME.exec(each.flags) ?? [];
    const value: unknown = leaf.getOptionValue(each.attributeName());
    if (value === undefined) continue;
    const ids: unknown[] = [];
    // Look up one after another: fifty at once are more than the service accepts from one account.
    for (const text of [value].flat()) ids.push(typeof text === 'string' ? await idOf(session, name, text) : text);
    values.push([key, Array.isArray(value) ? ids : ids[0]]);
  }
  return Object.fromEntries(values);
}

const VALUE_NAME = /[<[]([\w-]+)/;

const idOf = async (session: Session, name: string | undefined, text: string): Promise<string> =>
  lookUps[name ?? '']?.(session, text) ?? text;

export const option = (flags: string, description: string) => new Flag<string>(flags, description);

/** An option without a value. */
export const flag = (flags: string, description: string) => new Flag<boolean>(flags, description);

export const whole = (flags: string, description: string) =>
  new Flag<number>(flags, description).argParser((value) => {
    if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It is not a whole number.');
    return Number(value);
  });

export const oneOf = <Word extends string>(flags: string, description: string, words: readonly Word[]) =>
  new Flag<Word>(flags, description).choices(words);

/** An option that may be given several times. */
export const repeated = (flags: string, description: string) =>
  new Flag<readonly string[]>(flags, description).argParser((value: string, before: readonly string[] = []) => [
    ...before,
    value,
  ]);

export function required<Value>(each: Flag<Value>): RequiredFlag<Value> {
  each.description += ' (required)';
  return Object.assign(each.makeOptionMandatory(), { isRequired: true } as const);
}

export const passwordStdin = flag('--password-stdin', 'read the password from standard input');
