import { labelFormats, labelLayouts } from '../../../labels/label.js';
import { Card, useVisit } from '../../design/index.js';
import type { Text } from '../../language.js';
import { answerOf } from '../../session/operations.js';
import { param, pathId, type Visit } from '../../session/visit.js';
import { packageTexts as texts } from '../../texts.js';

// Files that an operation answers, for a browser, which has a session in place of a token.

type Called = Parameters<typeof answerOf<ArrayBuffer>>[0];

/** Hands an answer on, under the headers by which it is stored and not shown as a page. */
export async function handOn({ res }: Visit, call: Called): Promise<void> {
  const { data, response } = await answerOf(call);
  for (const name of ['Content-Type', 'Content-Disposition']) res.set(name, response.headers.get(name) ?? '');
  res.send(Buffer.from(data ?? new ArrayBuffer(0)));
}

const bytes = { parseAs: 'arrayBuffer' } as const;

/** Stops the making of the bytes once the reader has left. */
export function whileReading({ res }: Visit) {
  const controller = new AbortController();
  res.once('close', () => controller.abort());
  return { ...bytes, signal: controller.signal };
}

const labelLinks: readonly { query: string; name: Text }[] = [
  { query: 'format=pdf&layout=100x150', name: texts.labelPdf },
  { query: 'format=pdf&layout=a4', name: texts.labelSheet },
  { query: 'format=zpl', name: texts.labelZpl },
];

export function LabelsSection({ path }: { path: string }) {
  const { say } = useVisit();
  return (
    <Card title={texts.labels}>
      <p class="send">
        {labelLinks.map(({ query, name }) => (
          <a class="button secondary" href={`${path}?${query}`}>
            {say(name)}
          </a>
        ))}
      </p>
    </Card>
  );
}

/** The format and layout of the link; without one that exists the operation's default. */
export function labelQuery({ url }: Visit) {
  const format = labelFormats.find((each) => each === url.searchParams.get('format'));
  const layout = labelLayouts.find((each) => each === url.searchParams.get('layout'));
  return { ...(format && { format }), ...(layout && { layout }) };
}

export const packagePath = (visit: Visit) => ({ path: { loggi_key: param(visit, 'loggi_key') } });

export function sendLabel(visit: Visit): Promise<void> {
  const params = { ...packagePath(visit), query: labelQuery(visit) };
  return handOn(visit, visit.rest.GET('/api/v1/packages/{loggi_key}/label', { params, ...whileReading(visit) }));
}

export function sendLabels(visit: Visit): Promise<void> {
  const params = { ...pathId(visit), query: labelQuery(visit) };
  return handOn(visit, visit.rest.GET('/api/v1/orders/{id}/labels', { params, ...whileReading(visit) }));
}

export function sendPhoto(visit: Visit): Promise<void> {
  const options = { params: packagePath(visit), ...bytes };
  return handOn(visit, visit.operator.GET('/operator/v1/packages/{loggi_key}/proof/photo', options));
}

export function sendSignature(visit: Visit): Promise<void> {
  const options = { params: packagePath(visit), ...bytes };
  return handOn(visit, visit.operator.GET('/operator/v1/packages/{loggi_key}/proof/signature', options));
}
