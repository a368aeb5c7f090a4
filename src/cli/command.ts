import { type Command, InvalidArgumentError, Option } from 'commander';
import type { VerifyReceiver } from '../outbox/verification.js';
import type { CliConfig } from './config.js';
import type { Printer } from './printer.js';
import type { Clients } from './remote/client.js';
import type { SignIn } from './remote/credentials.js';
import { lookUps } from './remote/references.js';
import type { Terminal } from './terminal.js';

/** What commands need that is not the operator's own. */
export interface Needs {
  readonly verifyReceiver: VerifyReceiver;
}

/** What a command works with. */
export interface Session extends Clients, Needs {
  readonly signIn: SignIn;
  readonly print: Printer;
  readonly terminal: Terminal;
  readonly config: CliConfig;
}

/** Options that every command takes. */
export interface CommonOptions {
  url?: string;
  json?: boolean;
  idempotencyKey?: string;
}

export type OpenSession = (options: CommonOptions) => Session;

/**
 * One command: `usage` is its words and operands, e.g. `endpoints show <endpoint>`; `example` what follows `malote`. An operand or an
 * option's value that is called `<user>`, `<package>` or `<order>` may be anything that names one; `run` gets its id.
 */
interface CommandSpec<Options extends object> {
  readonly usage: string;
  readonly summary: string;
  readonly example: string;
  readonly options?: readonly Option[];
  /** Its other word. */
  readonly alias?: string;
  readonly run: (session: Session, options: Options, ...operands: string[]) => Promise<void>;
}

/** Adds a command to the program. */
export type Mount = (program: Command, open: OpenSession, terminal: Terminal) => void;

export const command =
  <Options extends object>(spec: CommandSpec<Options>): Mount =>
  (program, open) => {
    const [first = '', second = '', ...operands] = spec.usage.split(' ');
    const grouped = /^[a-z]/.test(second);
    const parent = grouped ? groupOf(program, first) : program;
    const leaf = parent.command(grouped ? [second, ...operands].join(' ') : spec.usage);
    const [firstLine = ''] = spec.summary.split('\n', 1);
    leaf.summary(firstLine).description(spec.summary).addHelpText('after', `\nExample:\n  $ malote ${spec.example}`);
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

/** Puts the ids of what options name in the place of the names. */
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

/** An option whose value is a whole number. */
export const whole = (flags: string, description: string): Option => option(flags, description).argParser(wholeNumber);

export const oneOf = (flags: string, description: string, words: readonly string[]): Option =>
  option(flags, description).choices(words);

export const required = (option: Option): Option => option.makeOptionMandatory();

/** A whole number of the command line. Throws what commander reports as wrong usage. */
export function wholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(value);
}

/** `--page` and `--page-size`. */
export interface PageOptions {
  page?: number;
  pageSize?: number;
}

export const pageOptions: readonly Option[] = [
  whole('--page <number>', 'page to show, from 1'),
  whole('--page-size <number>', 'records on a page, up to 100'),
];

/** The query parameters of a list. */
export function pageQuery({ page, pageSize }: PageOptions): { page?: number; page_size?: number } {
  return { ...(page !== undefined && { page }), ...(pageSize !== undefined && { page_size: pageSize }) };
}

export interface PasswordOptions {
  passwordStdin?: boolean;
}

export const passwordStdin: Option = option('--password-stdin', 'read the password from standard input');
