import samples from '../../../generated/samples.json' with { type: 'json' };
import { fieldsOf } from '../../base/values.js';

// Gives requests of the guide as code in several languages, from the output of codegen. A code block that is marked
// as a sample becomes a row of tabs on the page. In the page's Markdown it stays one block.

export interface Tab {
  readonly label: string;
  /** The language for highlighting. */
  readonly language: string;
  readonly code: string;
}

const languages = [
  { key: 'curl', label: 'curl', language: 'bash' },
  { key: 'typescript', label: 'TypeScript', language: 'typescript' },
  { key: 'python', label: 'Python', language: 'python' },
  { key: 'php', label: 'PHP', language: 'php' },
  { key: 'java', label: 'Java', language: 'java' },
] as const;

const codeOf = (operation: string, example: string) => fieldsOf(fieldsOf(fieldsOf(samples)[operation])[example]);

const fence = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\``;

/** The block of a body that an operation takes. `example` is its name in the contract. */
export const bodySample = (operation: string, example: string, body: string): string =>
  fence(`json sample=${operation}/${example}`, body);

/** The block of an operation without a body: its sample for curl. Empty if there is none. */
export function requestSample(operation: string): string[] {
  const { curl } = codeOf(operation, '');
  return typeof curl === 'string' ? [fence(`bash sample=${operation}/`, curl)] : [];
}

/** The first operation that takes the example. Undefined if the example is no body of a request. */
export const takerOf = (example: string): string | undefined =>
  Object.entries(samples).find(([, examples]) => example in examples)?.[0];

/** The tabs of a code block. Undefined if its first line marks no sample. */
export function tabsOf(info: string, code: string): Tab[] | undefined {
  const [, kind, operation, example] = /^(\w+) sample=(\w+)\/(\w*)$/.exec(info) ?? [];
  if (operation === undefined || example === undefined) return undefined;
  const inLanguages = codeOf(operation, example);
  const body = kind === 'json' ? [{ label: 'JSON', language: 'json', code }] : [];
  const requests = languages.flatMap(({ key, ...tab }) => {
    const sample = inLanguages[key];
    return typeof sample === 'string' ? [{ ...tab, code: sample }] : [];
  });
  return [...body, ...requests];
}
