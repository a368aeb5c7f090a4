import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from '@jest/globals';
import operatorSpec from '../../generated/operator.openapi.json' with { type: 'json' };
import restSpec from '../../generated/rest.openapi.json' with { type: 'json' };
import { describedBy } from '../contract/oracle.js';
import { sharedService } from '../support/services.js';

/** The guide over HTTP: every page exists, every link works, and search finds the right pages. */

const service = await sharedService();
/** The addresses of all pages, as llms.txt lists them. */
let addresses: string[];
const pages = new Map<string, string>();

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${service.url}${path}`, { headers, redirect: 'manual' });
const HTML = 'text/html; charset=utf-8';
const inPortuguese = { 'Accept-Language': 'pt-BR' };
const asBrowser = { Accept: 'text/html,*/*;q=0.8' };
const textOf = async (path: string, headers = {}): Promise<string> => (await get(path, headers)).text();

beforeAll(async () => {
  const list = await textOf('/docs/guide/llms.txt');
  addresses = [...list.matchAll(/\]\((?!.*pt-BR)([^)]+)\.md\)/g)].map(([, path = '']) => path.replace(/\/index$/, '/'));
  for (const address of addresses) pages.set(address, await textOf(address, { 'Accept-Language': 'en' }));
});

const idsOn = (html: string): Set<string> => new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id));
const linksOn = (html: string): string[] =>
  [...html.matchAll(/ href="([^"]+)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'));
const hasAnchor = (html: string, hash: string): boolean =>
  hash === '' || idsOn(html).has(decodeURIComponent(hash.slice(1)));
const mainOf = (html: string): string => /<article[\s\S]*<\/article>/.exec(html)?.[0] ?? '';

describe('the pages', () => {
  test('all exist, and each is listed once', () => {
    expect(addresses.length).toBeGreaterThan(30);
    expect(new Set(addresses).size).toBe(addresses.length);
    const bare = [...pages].filter(([, html]) => !/<h1 id="[^"]+" lang="en">[^<]/.test(html));
    expect(bare.map(([address]) => address)).toEqual([]);
  });

  test('hold every file of contracts/guides, and every chapter of behaviour.md', () => {
    const titles = [...pages.values()].join('');
    const files = readdirSync('contracts/guides').filter((name) => name.endsWith('.md'));
    const headings = files.flatMap((name) => {
      const text = readFileSync(`contracts/guides/${name}`, 'utf8');
      return name === 'behaviour.md' ? [...text.matchAll(/^## (.*)$/gm)] : [...text.matchAll(/^# (.*)$/gm)].slice(0, 1);
    });
    expect(headings.length).toBeGreaterThan(15);
    const ends = ['</h1>', ' <a class="anchor"'];
    const absent = headings.filter(([, heading]) => !ends.some((end) => titles.includes(`">${heading}${end}`)));
    expect(absent.map(([line]) => line)).toEqual([]);
  });

  test.each(['rest', 'operator'] as const)('hold every operation of the contract of %s', (contract) => {
    const reference = [...pages].filter(([address]) => address.startsWith(`/docs/guide/${contract}-`));
    const text = reference.map(([, html]) => html).join('');
    const operations = describedBy(contract);
    expect(operations.length).toBeGreaterThan(10);
    const absent = operations.filter(({ id }) => !text.includes(`Operation <code>${id}</code>`));
    expect(absent.map(({ id }) => id)).toEqual([]);
  });

  test.each([
    ['rest', restSpec],
    ['operator', operatorSpec],
  ])('describe every schema of the contract of %s once, and list its uses', (contract, { components }) => {
    const listed = linksOn(mainOf(pages.get(`/docs/guide/${contract}-schemas`) ?? ''));
    const anchors = listed.map((href) => href.split('#')[1]);
    expect(anchors).toEqual(Object.keys(components.schemas).map((name) => name.toLowerCase()));
    const places = listed.map((href) => new URL(href, service.url));
    const lost = places.filter(({ pathname, hash }) => !hasAnchor(pages.get(pathname) ?? '', hash));
    expect(lost.map(({ href }) => href)).toEqual([]);
  });

  test('show for a composed schema its base and the fields that it adds', () => {
    const text = [...pages.values()].join('');
    expect(text).toMatch(/The fields of <a [^>]*>PackageRecord<\/a>, and:[\s\S]{0,400}<code>tracking_history<\/code>/);
  });

  test('have no broken link', async () => {
    const known = new Map<string, Promise<number>>();
    const load = (path: string): Promise<number> => {
      const status = known.get(path) ?? get(path, asBrowser).then((answer) => answer.status);
      known.set(path, status);
      return status;
    };
    const dead: string[] = [];
    for (const [address, html] of pages) {
      for (const href of linksOn(html)) {
        if (/^https?:/.test(href)) continue;
        const { pathname, hash } = new URL(href, `http://host${address}`);
        const page = pages.get(pathname);
        const isDead = page === undefined ? (await load(pathname)) !== 200 : !hasAnchor(page, hash);
        if (isDead) dead.push(`${address} → ${href}`);
      }
    }
    expect(dead).toEqual([]);
    expect(known.size).toBeGreaterThan(8);
    expect(await load('/docs/guide/none')).toBe(404);
    expect(hasAnchor(pages.get('/docs/guide/webhook') ?? '', '#none')).toBe(false);
  });

  test('show receivers and requests of contracts/examples', () => {
    const shown = mainOf(pages.get('/docs/guide/webhook') ?? '').replaceAll(/<[^>]+>/g, '');
    expect(shown).toContain('timingSafeEqual(hash(one), hash(other))');
    expect(shown).toContain('hmac.compare_digest(one, other)');
    const others = mainOf(pages.get('/docs/guide/receivers') ?? '').replaceAll(/<[^>]+>/g, '');
    expect(others).toContain('hmac.Equal([]byte(one), []byte(other))');
    expect(others).toContain('MessageDigest.isEqual(');
    expect(pages.get('/docs/guide/webhook')).toContain('<span class="hljs-keyword">import</span>');
  });

  test('leave out the parts of the changelog that are only for operators of the service', () => {
    const changes = pages.get('/docs/guide/changelog') ?? '';
    expect(changes).toMatch(/ id="\d+---20\d\d-\d\d-\d\d"/);
    expect(changes).not.toMatch(/for operators<|PROCESSES|malote migrate/);
  });
});

describe('a page', () => {
  const path = '/docs/guide/webhook';

  test('cannot be framed, runs the site’s own code only, and may be listed', async () => {
    const { headers } = await get(path);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect([headers.get('x-frame-options'), headers.get('x-content-type-options')]).toEqual(['DENY', 'nosniff']);
    expect(pages.get(path)).toMatch(/<meta name="description" content="Whenever one of your packages/);
    expect(pages.get(path)).not.toMatch(/<script(?! type="module" src="\/assets\/)|<style| style="| on\w+="/);
  });

  test('can be cached: it is 304 for a client that has it, and gzipped for a client that accepts this', async () => {
    const first = await get(path, { 'Accept-Encoding': 'gzip' });
    expect([first.headers.get('content-encoding'), first.headers.get('cache-control')]).toEqual(['gzip', 'no-cache']);
    expect(first.headers.get('vary')).toMatch(/Accept-Language/);
    const again = await get(path, { 'Accept-Encoding': 'gzip', 'If-None-Match': first.headers.get('etag') ?? '' });
    expect([again.status, (await again.arrayBuffer()).byteLength]).toEqual([304, 0]);
  });

  test('has its frame in the client’s language, with an ETag for each language', async () => {
    const [portuguese, english] = [await get(path, inPortuguese), await get(path, { 'Accept-Language': 'en' })];
    expect(portuguese.headers.get('etag')).not.toBe(english.headers.get('etag'));
    const translated = /<html lang="pt-BR">[\s\S]*<h1 [^>]*lang="pt-BR">Receber avisos de rastreio/;
    expect(await portuguese.text()).toMatch(translated);
    const untranslated = /<html lang="pt-BR">[\s\S]*<h1 [^>]*lang="en">[\s\S]*O texto desta página está em inglês/;
    expect(await textOf('/docs/guide/journeys', inPortuguese)).toMatch(untranslated);
    expect(await textOf(`${path}?lang=en`)).toContain('<html lang="en">');
  });

  test('is Markdown at its address with .md', async () => {
    const answer = await get(`${path}.md`);
    expect(answer.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const shown = /^# Receive tracking updates\n[\s\S]*```ts\n\/\/ A receiver[\s\S]*\n## Webhook\n/;
    expect(await answer.text()).toMatch(shown);
    expect(await textOf('/docs/guide/behaviour.md')).toBe(readFileSync('contracts/guides/behaviour.md', 'utf8'));
  });

  test('is Markdown for a client that prefers Markdown, with an ETag of its own', async () => {
    const prefers = (accept: string, more = {}) => get(path, { Accept: accept, 'Accept-Language': 'en', ...more });
    const page = await prefers('text/html');
    const markdown = await prefers('text/markdown, text/html;q=0.9');
    expect(markdown.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    expect(await markdown.text()).toBe(await textOf(`${path}.md`));
    for (const { headers } of [page, markdown])
      expect(headers.get('vary')).toBe('Accept, Accept-Language, Cookie, Accept-Encoding');
    const etag = markdown.headers.get('etag') ?? '';
    expect(etag).not.toBe(page.headers.get('etag'));
    expect((await prefers('text/markdown', { 'If-None-Match': etag })).status).toBe(304);
    expect((await prefers('text/html', { 'If-None-Match': etag })).status).toBe(200);
    for (const accept of ['*/*', asBrowser.Accept, 'text/*', 'text/html, text/markdown', 'text/markdown;q=0.5, */*'])
      expect([accept, (await prefers(accept)).headers.get('content-type')]).toEqual([accept, HTML]);
    expect(await (await get('/docs/guide/', { Accept: 'text/markdown' })).text()).toMatch(/^# Integrate with Malote\n/);
    const inNoLanguage = await fetch(`${service.url}${path}`, { headers: { Accept: 'text/markdown' } });
    expect(await inNoLanguage.text()).toBe(await textOf(`${path}.md`));
  });

  test('is light: no page is above 28 KB, with its samples in all languages', () => {
    const sizes = [...pages].map(([address, html]): [string, number] => [address, gzipSync(html).length]);
    expect(sizes.filter(([, bytes]) => bytes > 28_000)).toEqual([]);
  });
});

describe('a translated page', () => {
  const names = readdirSync('contracts/guides/pt-BR').map((name) => name.replace('.md', ''));
  const bothOf = (name: string) =>
    ['contracts/guides', 'contracts/guides/pt-BR'].map((folder) => readFileSync(`${folder}/${name}.md`, 'utf8'));

  test('is one of the first pages for integrators, and the first page names it in Portuguese', async () => {
    const further = ['people', 'quickstart', 'sandbox', 'statuses', 'tracking', 'webhook'];
    expect(names).toEqual(['addresses', 'checkout', 'errors', 'index', 'limits', 'orders', ...further]);
    const first = mainOf(await textOf('/docs/guide/', inPortuguese));
    for (const name of names.filter((each) => each !== 'index')) {
      const title = /^# (.*)/.exec(bothOf(name)[1] ?? '')?.[1];
      expect(first).toContain(`<a href="/docs/guide/${name}">${title}</a>`);
    }
  });

  test.each(names)('%s has the headings, blocks of code, rows and linked files of the original', (name) => {
    const shapeOf = (markdown: string) => ({
      blocks: markdown.match(/^```[\s\S]*?^```$/gm) ?? [],
      headings: (markdown.match(/^#+ /gm) ?? []).map((marks) => marks.trim()),
      steps: markdown.match(/^(?:\d\.|-) /gm),
      rows: (markdown.match(/^\| *`?[\w-]+`? *\|/gm) ?? []).filter((row) => !/^\| *[a-zà-ú]/.test(row)),
      shown: [...markdown.matchAll(/^\[.*?\]\((?:\.\.\/)+(.*?)\):?$/gm)].map(([, target]) => target),
    });
    const [original, translation] = bothOf(name).map(shapeOf);
    expect(translation).toEqual(original);
  });

  test('has the address of the original below the Portuguese path, and both name each other for search engines', async () => {
    for (const name of names) {
      const path = `/docs/guide/${name === 'index' ? '' : name}`;
      const [page, english] = [await textOf(path, inPortuguese), pages.get(path) ?? ''];
      const alternates = (html: string) => html.match(/<link rel="alternate"[^>]*>/g);
      expect(alternates(page)?.map((link) => link.replace(/href="https?:\/\/[^/]+/, 'href="'))).toEqual([
        `<link rel="alternate" hreflang="pt-BR" href="${path}?lang=pt-BR"/>`,
        `<link rel="alternate" hreflang="en" href="${path}?lang=en"/>`,
      ]);
      expect(alternates(english)).toEqual(alternates(page));
      expect(page).toContain('<article lang="pt-BR"');
      expect(page).not.toContain('está em inglês.</p>');
    }
    expect(pages.get('/docs/guide/journeys')).not.toContain('rel="alternate"');
  });

  test('has the anchors of the original, and no broken link', async () => {
    const shown = new Map<string, string>();
    for (const address of addresses) shown.set(address, await textOf(address, inPortuguese));
    const dead = [...shown].flatMap(([address, html]) =>
      linksOn(html).flatMap((href) => {
        const { pathname, hash, search } = new URL(href, `http://host${address}`);
        const page = (search === '?lang=en' ? pages : shown).get(pathname);
        return page === undefined || hasAnchor(page, hash) ? [] : [`${address}: ${href}`];
      }),
    );
    expect(dead).toEqual([]);
    expect(idsOn(shown.get('/docs/guide/orders') ?? '')).toContain('cancel-one-package');
  });

  test('is Markdown in Portuguese too, which llms.txt lists', async () => {
    const answer = await get('/docs/guide/webhook', { Accept: 'text/markdown', ...inPortuguese });
    expect(await answer.text()).toMatch(/^# Receber avisos de rastreio\n/);
    const list = await textOf('/llms.txt');
    for (const name of names) {
      const path = `/docs/guide/pt-BR/${name}.md`;
      expect(list).toContain(`](${path}): `);
      const negotiated = get(`/docs/guide/${name.replace('index', '')}`, { Accept: 'text/markdown', ...inPortuguese });
      expect(await textOf(path)).toBe(await (await negotiated).text());
    }
  });
});

describe('llms.txt', () => {
  test('at the root lists guide and contracts in the form of llmstxt.org', async () => {
    const answer = await get('/llms.txt');
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const list = await answer.text();
    expect(list).toMatch(
      /^# Malote\n\n> Malote is [^\n]+\n\n[^#]+\n\n(## [^\n]+\n\n(- \[[^\]]+\]\([^)]+\): [^\n]+\n)+\n?)+$/,
    );
    expect(await textOf('/docs/guide/llms.txt')).toBe(list);
    const again = await get('/llms.txt', { 'If-None-Match': answer.headers.get('etag') ?? '' });
    expect(again.status).toBe(304);
  });

  test('leads to every page, and so do the links in its files', async () => {
    const linksIn = async (path: string) =>
      [...(await textOf(path)).replaceAll(/```[\s\S]*?```/g, '').matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
        ([, link = '']) => new URL(link, `${service.url}${path}`).pathname,
      );
    const listed = await linksIn('/llms.txt');
    expect(listed).toEqual(expect.arrayContaining(['/docs/openapi.yaml', '/docs/guide/courier.md']));
    const files = listed.filter((path) => path.endsWith('.md'));
    const links = new Set([...listed, ...(await Promise.all(files.map(linksIn))).flat()]);
    const statuses = await Promise.all(
      [...links].map(async (path) => [path, (await get(path, asBrowser)).status] as const),
    );
    expect(statuses.filter(([, status]) => status !== 200)).toEqual([]);
  });
});

test('the address without its slash leads to the guide, and an unknown page is 404', async () => {
  const bare = await get('/docs/guide');
  expect([bare.status, bare.headers.get('location')]).toEqual([302, '/docs/guide/']);
  for (const path of ['/docs/guide/index', '/docs/guide/none.md', '/docs/guide/__proto__']) {
    const { status, headers } = await get(path);
    expect([path, status, headers.get('content-type')]).toEqual([path, 404, HTML]);
  }
});

describe('search without JavaScript', () => {
  const resultsOf = async (query: string, lang = 'en'): Promise<string[]> => {
    const html = await textOf(`/docs/guide/search?${new URLSearchParams({ q: query, lang })}`);
    return linksOn(/<ol[\s\S]*<\/ol>/.exec(html)?.[0] ?? '');
  };

  test.each([
    ['Idempotency-Key', '/docs/guide/idempotency'],
    ['18', '/docs/guide/statuses'],
    ['Destinatário ausente', '/docs/guide/statuses'],
    ['RATE_LIMITED', '/docs/guide/errors'],
    ['429', '/docs/guide/errors'],
    ['signature', '/docs/guide/webhook'],
    ['retry schedule', '/docs/guide/webhook'],
    ['the schedule of a retry', '/docs/guide/webhook'],
    ["a courier's app", '/docs/guide/courier'],
    ['estimateOrder', '/docs/guide/orders'],
  ])('%s leads to %s', async (query, address) => {
    const [first = '', ...others] = await resultsOf(query);
    expect([first, ...others.slice(0, 2)].map((href) => href.split('#')[0])).toContain(address);
  });

  test.each([
    ['api key', '/docs/guide/identity-and-access'],
    ['refund', '/docs/guide/orders'],
    ['how to cancel', '/docs/guide/orders'],
    ['como cancelar', '/docs/guide/orders'],
    ['reembolso', '/docs/guide/orders'],
    ['devolução', '/docs/guide/orders'],
    ['DEVOLUCAO', '/docs/guide/orders'],
    ['chave de API', '/docs/guide/quickstart'],
    ['assinatura do webhook', '/docs/guide/webhook'],
  ])('%s leads to %s in either language', async (query, address) => {
    for (const lang of ['en', 'pt-BR']) {
      const hrefs = (await resultsOf(query, lang)).slice(0, 5).map((href) => href.split('#')[0]);
      expect([lang, hrefs]).toEqual([lang, expect.arrayContaining([address])]);
    }
  });

  test('a search without a result says so, and shows the query as text', async () => {
    const html = await textOf(`/docs/guide/search?q=${encodeURIComponent('"><script>x</script>')}&lang=en`);
    expect(html).toContain('Nothing was found.');
    expect(html).toMatch(/Or begin here:[\s\S]*href="\/docs\/guide\/quickstart"/);
    expect(html).not.toContain('<script>x');
    expect(html).toContain('<meta name="robots" content="noindex"/>');
  });

  test('search uses the first eight words of a long query, and answers any query', async () => {
    expect((await resultsOf(`${'order '.repeat(8)}nonsense`)).length).toBeGreaterThan(0);
    expect(await resultsOf(`${'order '.repeat(7)}nonsense`)).toEqual([]);
    expect((await get('/docs/guide/search?q=a&q=b&q[c]=d')).status).toBe(200);
    expect((await get('/docs/guide/search')).status).toBe(200);
  });
});
