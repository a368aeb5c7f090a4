// The service in watch mode: a change under contracts/ runs codegen, a change of the service's sources restarts it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';

const tsx = createRequire(import.meta.url).resolve('tsx/cli');

const watched = [
  ['--include', 'contracts/**/*', 'codegen.ts'],
  ['src/api.ts', ...process.argv.slice(2)],
].map((args) =>
  spawn(process.execPath, [tsx, 'watch', '--clear-screen=false', ...args], { stdio: ['ignore', 'inherit', 'inherit'] }),
);

// Ctrl-C reaches them by itself, being in the same group. A signal to this process alone is passed on.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => {
  for (const child of watched) child.kill('SIGTERM');
});
await Promise.race(watched.map((child) => once(child, 'exit')));
for (const child of watched) child.kill('SIGTERM');
