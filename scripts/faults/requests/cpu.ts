import { readdir, readFile } from 'node:fs/promises';

/** Milliseconds of CPU that a process has used, all of its threads together (Linux, to the nanosecond). */
export async function cpuMs(pid: number): Promise<number> {
  const threads = await readdir(`/proc/${pid}/task`);
  const times = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').catch(() => '0')),
  );
  return times.reduce((sum, line) => sum + Number(line.split(' ')[0]), 0) / 1e6;
}
