import { readFile } from 'node:fs/promises';
import { run } from './account.js';

/** A process: who started it and with which words, each followed by a space; a zombie has none. */
export interface Process {
  parent: number;
  command: string;
}

/** Undefined when there is no such process, or it cannot be seen. */
export async function processOf(pid: number): Promise<Process | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => undefined);
  if (status === undefined) return process.platform === 'linux' ? undefined : fromPs(pid);
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  const parent = Number(/^PPid:\s*(\d+)/m.exec(status)?.[1]);
  return { parent, command: command.replaceAll('\0', ' ') };
}

async function fromPs(pid: number): Promise<Process | undefined> {
  const line = await run('ps', ['-ww', '-o', 'ppid=,args=', '-p', String(pid)]).catch(() => '');
  const match = /^\s*(\d+)\s+(\S.*)$/m.exec(line);
  return match ? { parent: Number(match[1]), command: `${match[2]} ` } : undefined;
}
