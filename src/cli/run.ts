import { debuglog } from 'node:util';
import { Command, CommanderError } from 'commander';
import { ConfigError } from '../base/settings.js';
import { version } from '../base/version.js';
import type { CommonOptions, Mount, Needs, OpenSession } from './command.js';
import type { CliConfig } from './config.js';
import { CommandError, type ExitCode, reasonOf, wrongUsage } from './errors.js';
import { createPrinter } from './printer.js';
import { createClient } from './remote/client.js';
import { createSignIn } from './remote/credentials.js';
import { askSecret, hasStyles, styled, type Terminal, visible, visibleLines } from './terminal.js';

/** A program with its commands and texts for the help. */
export interface CliProgram {
  readonly name: string;
  readonly description: string;
  readonly commands: readonly Mount[];
  /** Help texts for groups of commands, by the first word of their usage. */
  readonly groups: Readonly<Record<string, string>>;
}

/** Runs one command and returns its exit code. It throws only for errors in the code. */
export async function runCli(
  program: CliProgram,
  argv: readonly string[],
  readConfig: () => CliConfig,
  terminal: Terminal,
  needs: Needs,
): Promise<ExitCode> {
  // A reader such as `head` may close the pipe early. That is not a failure.
  terminal.stdout.on('error', () => undefined);
  try {
    const parser = createProgram(program, terminal, sessionOpener(readConfig, terminal, needs));
    await parser.parseAsync([...argv], { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    const { message, exitCode } = failureOf(error);
    const name = styled(terminal.stderr, 'red', `${program.name}:`);
    terminal.stderr.write(`${name} ${visible(message.replace(/\s*\n\s*/g, ' '))}\n`);
    return exitCode;
  }
}

const debug = debuglog('malote');

/** The error of a command as a sentence for a person. With NODE_DEBUG, the stack of an unexpected error is shown. */
function failureOf(error: unknown): CommandError {
  if (error instanceof ConfigError) return wrongUsage(error.message);
  if (error instanceof CommandError) return error;
  debug('%s', error instanceof Error ? error.stack : error);
  const reason = error instanceof Error && error.message !== '' ? error.message : reasonOf(error);
  return new CommandError(`failed: ${reason}. NODE_DEBUG=malote shows where.`, 1, { cause: error });
}

function createProgram(
  { name, description, commands, groups }: CliProgram,
  terminal: Terminal,
  open: OpenSession,
): Command {
  const { stdout, stderr } = terminal;
  const program = new Command(name)
    .description(description)
    .version(version)
    .option('--url <url>', 'address of the service (default: MALOTE_URL, else http://localhost:3000)')
    .option('--json', "print the service's JSON, for scripts")
    .option('--idempotency-key <key>', 'run again with the same key, the command does what it did only once')
    .configureHelp({ showGlobalOptions: true, styleTitle: (title) => styled(stdout, 'bold', title) })
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: (text, write) => write(visibleLines(text)),
      getOutHasColors: () => hasStyles(stdout),
      getErrHasColors: () => hasStyles(stderr),
    })
    .exitOverride();
  for (const mount of commands) mount(program, open, terminal);
  for (const group of program.commands) group.description(groups[group.name()] ?? group.description());
  return program;
}

const sessionOpener =
  (readConfig: () => CliConfig, terminal: Terminal, needs: Needs): OpenSession =>
  ({ url, json = false, idempotencyKey }: CommonOptions) => {
    const config = readConfig();
    const address = addressOf(url ?? config.url);
    const askCode = async (): Promise<string | undefined> =>
      terminal.stdin.isTTY ? askSecret(terminal, 'Code of the second factor') : undefined;
    const unsigned = createClient({ url: address });
    const signIn = createSignIn(address, { ...config, ...needs, askCode }, unsigned);
    const client = createClient({ url: address, signIn, operatorKey: config.operatorKey, idempotencyKey });
    return { ...client, ...needs, url: address, signIn, print: createPrinter(terminal, json), terminal, config };
  };

function addressOf(url: string): string {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol !== 'http:' && protocol !== 'https:') throw wrongUsage('--url must begin with http:// or https://.');
  return url.replace(/\/+$/, '');
}
