import { describe, expect, test } from '@jest/globals';
import { sharedService } from '../support/services.js';
import { packageMaker } from './tracked.js';
import { Visitor } from './visitor.js';

const service = await sharedService();
const { path } = await (await packageMaker(service))();

const get = (target: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${target}`, { headers, redirect: 'manual' });

test('the start page leads to the guide, the explorers, a package, the console and /envios', async () => {
  const answer = await get('/');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(answer.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  const html = await answer.text();
  const links = [...html.matchAll(/<a href="(\/[^"?]*)"/g)].map(([, link = '']) => link);
  expect(links).toEqual([
    '/rastreio',
    '/envios',
    '/docs/guide/quickstart',
    '/docs/guide/',
    '/docs',
    '/graphql',
    '/console',
  ]);
  for (const link of links) expect((await get(link, { Accept: 'text/html' })).status).toBeLessThan(400);
  expect(html).toContain('<html lang="pt-BR">');
  expect(await (await get('/', { 'Accept-Language': 'en' })).text()).toContain('<html lang="en">');
  expect(await (await get('/?lang=en')).text()).toContain('<html lang="en">');
});

test('a chosen language stays on the following pages', async () => {
  const visitor = new Visitor(service.url, { 'Accept-Language': 'pt-BR', Accept: 'text/html' });
  for (const page of ['/', '/rastreio', '/docs/guide/', '/docs/guide/quickstart', path, '/console/sign-in']) {
    expect((await visitor.get(page)).text).toContain('<html lang="pt-BR">');
    await visitor.get(`${page}?lang=en`);
    expect((await visitor.get(page)).text).toContain('<html lang="en">');
    visitor.cookies.clear();
  }
});

describe('an unknown path', () => {
  const html = 'text/html,application/xhtml+xml,*/*;q=0.8';

  const targets = ['/nope', '/docs/nope', '/docs/examples/', '/docs/guide/nope'];
  test.each(targets)('is a page for a browser: %s', async (target) => {
    const answer = await get(target, { Accept: html });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('<a class="button" href="/">');
  });

  test.each([
    ['/nope', '*/*'],
    ['/api/v1/nope', html],
    ['/operator/v1/nope', html],
  ])('is an error of the interface for a program: %s with %s', async (target, Accept) => {
    const answer = await get(target, { Accept });
    expect([answer.status, (await answer.json()).error.reason]).toEqual([404, 'path_not_found']);
  });
});

describe('the form for a package', () => {
  const followed = async (link: string) => {
    const answer = await get(`/?${new URLSearchParams({ link })}`);
    return [answer.status, answer.headers.get('location') ?? (await answer.text())];
  };

  test('leads from a link, or from its last part, to the page of the package', async () => {
    for (const link of [path, `${service.url}${path}`, ` ${path.slice(3)} `, `${path}?lang=en`])
      expect(await followed(link)).toEqual([303, path]);
  });

  const others = ['7ZK3M9P2QP1S', '', 'https://elsewhere.example/', '//elsewhere.example/t/x', 'a'.repeat(53)];
  test.each(others)('answers "%s" with a request for the link from the sender', async (link) => {
    const [status, html] = await followed(link);
    expect(status).toBe(422);
    expect(html).toContain('role="alert"');
  });

  test('lets no cache store the typed link', async () => {
    expect((await get(`/?${new URLSearchParams({ link: path })}`)).headers.get('cache-control')).toBe('no-store');
  });
});

test('the start page is 404 by POST', async () => {
  expect((await fetch(`${service.url}/`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`${service.url}/`, { method: 'HEAD' })).status).toBe(200);
});
