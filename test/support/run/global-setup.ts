import { register } from 'tsx/cjs/api';

/** Jest loads this file as CommonJS and resolves no `.js` to `.ts` for it: tsx does, from here on. */
export default async function setup(): Promise<void> {
  register();
  const { start } = await import('../postgres.js');
  await start();
}
