/** Starts a real OSRM for a map. OSRM is installed from PyPI (osrm-bindings supports Python 3.12). */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../test/support/port.js';
import { startProgram } from '../../test/support/processes/program.js';
import { pythonWith } from '../cluster/packages.js';

const execute = promisify(execFile);

/** Runs `work` with the URL of an OSRM for the map, which is OSM XML. */
export async function withOsrm(map: string, work: (url: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'malote-osrm-'));
  try {
    const system = process.env['PYTHON'] ?? 'python3.12';
    const python = await pythonWith('osrm', ['osrm-bindings==26.10.0'], console.log, system);
    const { stdout } = await execute(python, ['-c', 'import osrm; print(osrm.__path__[0])']);
    const home = stdout.trim();
    const table = join(folder, 'towns.osrm');
    await writeFile(join(folder, 'towns.osm'), map);
    const run = (program: string, ...args: string[]) => execute(`${home}/bin/${program}`, args, { cwd: folder });
    await run('osrm-extract', '-p', `${home}/share/profiles/car.lua`, join(folder, 'towns.osm'));
    await run('osrm-partition', table);
    await run('osrm-customize', table);
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const answers = async () => (await fetch(url)).status > 0;
    const args = ['--algorithm', 'mld', '--ip', '127.0.0.1', '--port', String(port), table];
    const server = await startProgram([`${home}/bin/osrm-routed`, ...args], { log: join(folder, 'log') }, answers);
    await work(url);
    await server.signal('SIGTERM');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
