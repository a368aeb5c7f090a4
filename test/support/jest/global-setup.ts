import { start } from '../postgres.js';
import { compileService } from './compiled.js';

export default async function setup(): Promise<void> {
  await Promise.all([start(), compileService()]);
}
