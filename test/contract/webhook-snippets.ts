import { fileText } from './contract-files.js';
import type { Snippet } from './snippet.js';

const example = fileText('contracts/examples/tracking-payload.json');

const PREAMBLE = "import type { TrackingPayload } from '../../generated/tracking-webhook.js';";
const payload = (value: string): string => `export const payload: TrackingPayload = ${value};`;

/** The example with one mistake in it. */
function wrong(name: string, from: RegExp, to: string): Snippet {
  const value = example.replace(from, to);
  if (value === example) throw new Error(`The example has no place for ${name}.`);
  return { name: `webhook: ${name}`, preamble: PREAMBLE, code: payload(value), wrong: /^TS(2322|2353|2741) / };
}

/** Tracking payloads: the example, and mistakes that a sender might make. */
export const webhookSnippets: readonly Snippet[] = [
  { name: 'webhook: example', preamble: PREAMBLE, code: payload(example) },
  wrong('code in quotes', /"code": (\d+)/, '"code": "$1"'),
  wrong('no loggiKey', /"loggiKey": "[^"]*",/, ''),
  wrong('no updatedTime', /,\s*"updatedTime": "[^"]*"/, ''),
  wrong('actionRequired left out', /"actionRequired": null,/, ''),
  wrong('location of null', /"location": \{[^}]*\}/, '"location": null'),
  wrong('unknown field', /"barcode":/, '"weight": 1, "barcode":'),
  wrong('number for a time', /"requestTime": "[^"]*"/, '"requestTime": 1795176000'),
];
