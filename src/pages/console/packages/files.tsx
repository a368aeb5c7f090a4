import { labelFormats, labelLayouts } from '../../../labels/label.js';
import type { Text } from '../../language.js';
import { answerOf } from '../operations.js';
import type { Visit } from '../visit.js';
import { texts } from './texts.js';

// Files that an operation answers, for whoever has a session in place of a token.

type Called = Parameters<typeof answerOf<ArrayBuffer>>[0];

/** Hands an answer on, under the headers by which it is stored and not shown as a page. */
async function handOn({ res }: Visit, call: Called): Promise<void> {
  const { data, response } = await answerOf(call);
  for (const name of ['Content-Type', 'Content-Disposition']) res.set(name, response.headers.get(name) ?? '');
  res.send(Buffer.from(data ?? new ArrayBuffer(0)));
}

const bytes = { parseAs: 'arrayBuffer' } as const;

/** Bytes that nobody makes any more once the reader has left. */
function whileReading({ res }: Visit) {
  const controller = new AbortController();
  res.once('close', () => controller.abort());
  return { ...bytes, signal: controller.signal };
}

const labelLinks: readonly { query: string; name: Text }[] = [
  { query: 'format=pdf&layout=100x150', name: texts.labelPdf },
  { query: 'format=pdf&layout=a4', name: texts.labelSheet },
  { query: 'format=zpl', name: texts.labelZpl },
];

interface LabelsProps {
  visit: Visit;
  /** Where they are had from. */
  path: string;
  /** As the contract has it. */
  operation: string;
}

export const LabelsSection = ({ visit, path, operation }: LabelsProps) => (
  <section>
    <h2>{visit.say(texts.labels)}</h2>
    <p class="send">
      {labelLinks.map(({ query, name }) => (
        <a href={`${path}?${query}`}>{visit.say(name)}</a>
      ))}
      <code>{operation}</code>
    </p>
  </section>
);

/** What the link asks for; the operation's default where it asks for nothing that there is. */
function labelQuery({ url }: Visit) {
  const format = labelFormats.find((each) => each === url.searchParams.get('format'));
  const layout = labelLayouts.find((each) => each === url.searchParams.get('layout'));
  return { ...(format && { format }), ...(layout && { layout }) };
}

const packagePath = ({ req }: Visit) => ({ loggi_key: String(req.params['loggi_key']) });

/** `GET /console/packages/{loggi_key}/label` */
export function sendLabel(visit: Visit): Promise<void> {
  const params = { path: packagePath(visit), query: labelQuery(visit) };
  return handOn(visit, visit.rest.GET('/api/v1/packages/{loggi_key}/label', { params, ...whileReading(visit) }));
}

/** `GET /console/orders/{id}/labels` */
export function sendLabels(visit: Visit): Promise<void> {
  const params = { path: { id: String(visit.req.params['id']) }, query: labelQuery(visit) };
  return handOn(visit, visit.rest.GET('/api/v1/orders/{id}/labels', { params, ...whileReading(visit) }));
}

/** `GET /console/packages/{loggi_key}/proof/photo` */
export function sendPhoto(visit: Visit): Promise<void> {
  const params = { path: packagePath(visit) };
  return handOn(visit, visit.operator.GET('/operator/v1/packages/{loggi_key}/proof/photo', { params, ...bytes }));
}

/** `GET /console/packages/{loggi_key}/proof/signature` */
export function sendSignature(visit: Visit): Promise<void> {
  const params = { path: packagePath(visit) };
  return handOn(visit, visit.operator.GET('/operator/v1/packages/{loggi_key}/proof/signature', { params, ...bytes }));
}
