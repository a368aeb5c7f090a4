import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { sharedService } from '../support/services.js';

const service = await sharedService();
const FOLDER = 'contracts/guides/pt-BR';

test('the first page of the guide names translated pages in Portuguese', async () => {
  const answer = await fetch(`${service.url}/docs/guide/`, { headers: { 'Accept-Language': 'pt-BR' } });
  const page = await answer.text();
  for (const file of readdirSync(FOLDER).filter((name) => name !== 'index.md')) {
    const title = /^# (.*)/.exec(readFileSync(`${FOLDER}/${file}`, 'utf8'))?.[1];
    const article = /<article[\s\S]*<\/article>/.exec(page)?.[0];
    expect(article).toContain(`<a href="/docs/guide/${file.replace('.md', '')}">${title}</a>`);
  }
});
