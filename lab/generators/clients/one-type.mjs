// Writes a document whose bodies have one type each, the first, as progenitor wants them: node one-type.mjs SOURCE TARGET
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { parse, stringify } = createRequire(`${process.env.ROOT}/package.json`)('yaml');
const [source, target] = process.argv.slice(2);
const form = target.endsWith('.json') ? JSON : { parse, stringify };
const document = form.parse(readFileSync(source, 'utf8'));
for (const { requestBody } of Object.values(document.paths).flatMap((path) => Object.values(path)))
  if (requestBody) requestBody.content = Object.fromEntries(Object.entries(requestBody.content).slice(0, 1));
// Control characters, which JSON may hold and YAML may not: of texts in quotes, in either.
const escaped = (each) => `\\u00${each.charCodeAt(0).toString(16)}`;
writeFileSync(target, form.stringify(document).replace(/[\x7f-\x9f]/g, escaped));
