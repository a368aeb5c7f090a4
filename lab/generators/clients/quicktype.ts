import { readFileSync } from 'node:fs';
import { Convert } from './C/payload.js';

/** Reads a body as a receiver does, with a field and a code that it does not know. */
const body = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const [first] = body.packages;
const { packages } = Convert.toTrackingPayload(JSON.stringify({ ...body, packages: [{ ...first, weather: 'fine' }] }));
if (packages[0]?.loggiKey !== first.loggiKey) throw new Error('the body did not come out as it should');
