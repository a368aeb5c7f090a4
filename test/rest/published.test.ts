import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { ownService, sharedService } from '../support/services.js';

/** The contracts and client packages as a service publishes them under `/docs`. */

const service = await sharedService();
const named = await ownService({ PUBLIC_URL: 'https://entregas.example' });

const textAt = async (url: string, path: string) => (await fetch(url + path)).text();

describe.each(['openapi', 'operator.openapi'])('/docs/%s', (file) => {
  const serversAt = async ({ url }: { url: string }) => [
    JSON.parse(await textAt(url, `/docs/${file}.json`)).servers,
    parse(await textAt(url, `/docs/${file}.yaml`)).servers,
  ];

  test('names the service by PUBLIC_URL, so that programs which import it know where to send requests', async () => {
    const servers = [expect.objectContaining({ url: 'https://entregas.example' })];
    expect(await serversAt(named)).toEqual([servers, servers]);
  });

  test('names the service that publishes it where PUBLIC_URL is not set', async () => {
    const servers = [expect.objectContaining({ url: '/' })];
    expect(await serversAt(service)).toEqual([servers, servers]);
  });
});

test('the description of the webhook has `paths`, because programs that import it need them', async () => {
  const { paths, webhooks } = JSON.parse(await textAt(service.url, '/docs/webhooks.openapi.json'));
  expect([paths, Object.keys(webhooks)]).toEqual([{}, ['trackingUpdate']]);
});

test.each(['/docs/clients', '/docs/clients/'])('%s is a page that lists the client packages', async (path) => {
  const answer = await fetch(service.url + path);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(await answer.text()).toContain('<h1>Client packages</h1>');
  expect(await textAt(service.url, '/docs')).toContain('href="/docs/clients/"');
});
