import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { parseKeyRing } from '../../src/base/secrets/keys.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { errorHandler, unknownPath } from '../../src/http/errors.js';
import { expressApp } from '../../src/http/server/express-app.js';
import { listen } from '../../src/http/server/http-server.js';
import { createTrackingLinks } from '../../src/packages/tracking-links.js';
import { waitFor } from '../support/receiver.js';
import { ID } from './http-notes-app.js';

/** The log of a request's path never has the token of a tracking link, in any form. */

const links = createTrackingLinks('', parseKeyRing(`k:${Buffer.alloc(32, 1).toString('base64')}`));
const token = links.urlOf({ loggiKey: ID, trackingLink: 0 })?.slice('/t/'.length) ?? '';
const escaped = [...token].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');

const lines: string[] = [];
const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
const app = expressApp({ trustProxy: false, log }).use(unknownPath, errorHandler(log));
const server = await listen(app, { port: 0, host: '127.0.0.1', shutdownSeconds: 0, setting: 'PORT' });
beforeEach(() => void lines.splice(0));
afterAll(() => server.stop());

async function loggedPath(target: string): Promise<string> {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  socket.end(`GET ${target} HTTP/1.1\r\nHost: a\r\nReferer: http://a/t/${token}\r\nConnection: close\r\n\r\n`);
  socket.resume();
  await once(socket, 'close');
  await waitFor(() => lines.length > 0, 'the line');
  return JSON.parse(lines[0] ?? '').path;
}

test.each([
  [`/t/${token}`, '/t/…'],
  [`/t/${token}/events`, '/t/…/events'],
  [`/api/v1/tracking/${token}`, '/api/v1/tracking/…'],
  [`http://track.example/t/${token}`, '/t/…'],
  [`HTTPS://user:secret@track.example:8443/t/${token}/events`, '/t/…/events'],
  [`http://track.example?${token}`, ''],
  [`/%74/${token}`, '/%74/…'],
  [`/t/${escaped}`, '/t/…'],
  [`/t/%25${token}`, '/t/…'],
  [`//t//${token}`, '//t//…'],
  [`/T/${token}/`, '/T/…/'],
  [`/x/../t/${token};a=b`, '/x/../t/…;a=b'],
  [`/t%2f${token}`, '/…'],
  [`/t\\${token}`, '/t\\…'],
  [`/t/?${token}`, '/t/'],
  [`/t/#${token}`, '/t/'],
])('the log of %s has the path without the token', async (target, path) => {
  expect(await loggedPath(target)).toBe(path);
  expect(lines.join('')).not.toContain(token);
  expect(lines.join('')).not.toContain(escaped);
});

test('the log has the ids and names of a path, so that one can search for them', async () => {
  const path = `/operator/v1/webhook-endpoints/${ID}/revoke-previous-signing-secret`;
  expect(await loggedPath(path)).toBe(path);
});
