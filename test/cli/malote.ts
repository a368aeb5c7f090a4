import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { WriteStream } from 'node:tty';
import { expect } from '@jest/globals';
import { operatorCommands } from '../../src/cli/commands.js';
import { loadCliConfig } from '../../src/cli/config.js';
import { runCli } from '../../src/cli/run.js';
import type { Terminal } from '../../src/cli/terminal.js';
import { verifyReceiver } from '../../src/webhook/receiver-checks/verify.js';
import { sourceOf } from '../support/processes/child.js';
import { operatorLogin, type Service } from '../support/service.js';

const terminalWith = (env: NodeJS.ProcessEnv) => ({
  isTTY: true,
  getColorDepth: () => WriteStream.prototype.getColorDepth({ TERM: 'xterm', ...env }),
});

type Ran = { code: number | null; out: string; err: string };

/** Arguments, or one line of them separated by blanks. */
type Args = string | readonly string[];

const listOf = (args: Args): readonly string[] => (typeof args === 'string' ? args.split(' ') : args);

/** A run that writes this to standard error, and exits with the code. */
export const saying = (text: string | RegExp, code = 1) => ({
  code,
  err: typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text),
});

/** Runs the operator's commands, with a separate home directory. */
export type Malote = ReturnType<typeof malote>;

/** Runs the commands on a database, without a running service. */
export const beside = (settings: Record<string, string>): Malote =>
  malote({ MALOTE_URL: 'http://127.0.0.1:1', SINGLE_MACHINE: '1', ...settings });

export const credentials = { OPERATOR_EMAIL: operatorLogin.email, OPERATOR_PASSWORD: operatorLogin.password };

export const operatorOf = ({ url }: Service): Malote => malote({ MALOTE_URL: url, ...credentials });

export function malote(settings: Record<string, string>) {
  // The end of the test run removes this folder.
  const folder = mkdtempSync(join(process.env['MALOTE_TEST_BUILD'] ?? tmpdir(), 'malote-home-'));
  const env = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), ...settings };

  const start = (args: Args, terminal: Terminal) =>
    runCli(operatorCommands, listOf(args), () => loadCliConfig(env), terminal, {
      verifyReceiver,
      markCost: { cost: 16 },
    });

  const ran = async (args: Args, terminal: Terminal & Record<'stdout' | 'stderr', PassThrough>): Promise<Ran> => {
    const [out, err] = [text(terminal.stdout), text(terminal.stderr)];
    const code = await start(args, terminal);
    terminal.stdout.end();
    terminal.stderr.end();
    return { code, out: await out, err: await err };
  };

  /** Runs a command in this process. `terminal` is the environment of a terminal with colours. */
  const run = (args: Args, input = '', terminal?: NodeJS.ProcessEnv) => {
    const stream = () => Object.assign(new PassThrough(), terminal && terminalWith(terminal));
    return ran(args, { stdin: Readable.from([input]), stdout: stream(), stderr: stream() });
  };

  /** Runs a command at a terminal, where a person types these answers, one to each question. */
  const typed = (args: Args, answers: readonly string[]) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = new PassThrough();
    const left = [...answers];
    stderr.on('data', (chunk) => {
      if (String(chunk).endsWith(': ')) stdin.write(`${left.shift() ?? ''}\n`);
    });
    return ran(args, { stdin, stdout: new PassThrough(), stderr });
  };

  /** Runs a command at a terminal. `drawn()` is the text that the terminal has shown so far. */
  const watch = (args: Args) => {
    const stderr = Object.assign(new PassThrough(), { isTTY: true });
    const drawn: string[] = [];
    stderr.on('data', (chunk) => drawn.push(String(chunk)));
    const code = start(args, { stdin: Readable.from([]), stdout: new PassThrough().resume(), stderr });
    return { code, drawn: () => drawn.join('') };
  };

  /** Runs a command that talks to its parent program, until `stdin` ends. */
  const talk = (args: Args) => {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    return { code: start(args, { stdin, stdout, stderr: new PassThrough().resume() }), stdin, stdout };
  };

  /** Arguments that `spawn` starts a process with. */
  const program = (args: Args) => ({
    command: process.execPath,
    args: [...sourceOf('malote'), ...listOf(args)],
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', ...env },
  });

  /** Runs a command that must succeed. Resolves to its parsed output with --json. */
  const json = async (args: Args, input?: string): Promise<unknown> => {
    const { code, out, err } = await run([...listOf(args), '--json'], input);
    if (code !== 0) throw new Error(`malote ${args} ended with ${code}: ${err}`);
    return JSON.parse(out);
  };

  /** Runs `src/malote.ts` as a separate process, in a folder without `.env`. `more` are settings of this run. */
  const spawnOne = async (args: Args, input = '', more: Record<string, string> = {}): Promise<Ran> => {
    const { command, args: all, cwd, env: own } = program(args);
    const child = spawn(command, all, { cwd, env: { ...own, ...more } });
    child.stdin.end(input);
    const code = new Promise<number | null>((resolve) => child.on('close', resolve));
    return { out: await text(child.stdout), err: await text(child.stderr), code: await code };
  };

  return { folder, run, typed, watch, talk, program, json, spawn: spawnOne };
}
