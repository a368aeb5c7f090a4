import { expect, test } from '@jest/globals';
import { blobOf, png } from '../support/pictures.js';
import { startGraphql } from './client.js';

const service = await startGraphql();
const QUERY = '{ branding { color lightColor darkColor hasLogo } }';

test('branding answers what recipients see of the account, as GET /api/v1/branding does', async () => {
  const { send, caller } = await service.client();
  const nothing = { color: null, lightColor: null, darkColor: null, hasLogo: false };
  expect((await send(QUERY)).data?.branding).toEqual(nothing);
  await caller.rest.PUT('/api/v1/branding', { body: { color: '#ff7a00' } });
  const headers = { Authorization: `Bearer ${caller.token}`, 'Content-Type': 'application/octet-stream' };
  await fetch(`${service.url}/api/v1/branding/logo`, { method: 'PUT', headers, body: blobOf(png()) });
  const { data } = await caller.rest.GET('/api/v1/branding');
  const shown = { color: '#ff7a00', lightColor: data?.light_color, darkColor: data?.dark_color, hasLogo: true };
  expect((await send(QUERY)).data?.branding).toEqual(shown);
  expect(data?.logo).toBeDefined();
});
