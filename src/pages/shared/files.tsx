import type { OutgoingHttpHeaders } from 'node:http';
import { labelFormats, labelLayouts } from '../../labels/label.js';
import { Card, factList, Section, TextLink } from '../design/pieces.js';
import type { Cells } from '../export.js';
import type { OperationName } from '../operations.js';
import type { Handler, Route } from '../session/place.js';
import { type Text, packageTexts as texts, valueWords } from '../texts.js';
import { askedOf, type RestSchemas, useVisit, type Visit } from '../visit.js';
import { Time, Word } from '../written.js';

// Sends the files of operations to a browser, which has a session instead of a token.

/** Sends a file of an operation, to be saved by the browser. The operation stops when the client leaves. */
export async function handOn<Name extends OperationName>(
  { res, send }: Visit,
  name: Name,
  asked: Parameters<typeof send<Name>>[1] = {},
): Promise<undefined> {
  const controller = new AbortController();
  res.once('close', () => controller.abort());
  const { headers, body } = await send(name, { ...asked, signal: controller.signal });
  for (const header of ['content-type', 'content-disposition']) res.set(header, String(headers[header] ?? ''));
  res.send(body);
}

/** Sends the answer of an operation on as the answer of the page. */
export const fileTarget = (res: Visit['res']) => ({
  begin: (headers: OutgoingHttpHeaders): void => {
    for (const header of ['content-type', 'content-disposition', 'etag']) {
      const value = headers[header];
      if (value !== undefined) res.set(header, String(value));
    }
  },
  writable: res,
});

/** Sends a file of any length while the operation makes it. */
export async function streamOn<Name extends OperationName>(
  { res, send }: Visit,
  name: Name,
  asked: Parameters<typeof send<Name>>[1] = {},
): Promise<undefined> {
  await send(name, { ...asked, target: fileTarget(res) });
  res.end();
}

const labelLinks: readonly { query: string; text: Text }[] = [
  { query: 'format=pdf&layout=100x150', text: texts.labelPdf },
  { query: 'format=pdf&layout=a4', text: texts.labelSheet },
  { query: 'format=zpl', text: texts.labelZpl },
];

export const LabelsSection = ({ path }: { path: string }) => (
  <Card title={texts.labels}>
    <p class="send">
      {labelLinks.map(({ query, text }) => (
        <TextLink href={`${path}?${query}`} text={text} kind="button secondary" />
      ))}
    </p>
  </Card>
);

/** The format and layout in the address. Without a valid one, the operation uses its default. */
export const labelQuery = (visit: Visit) => ({
  format: askedOf(visit, 'format', labelFormats),
  layout: askedOf(visit, 'layout', labelLayouts),
});

export const picture =
  (name: OperationName): Handler =>
  (visit) =>
    handOn(visit, name);

/** The routes for files of orders and packages. `api` is the interface that serves the pictures. */
export const fileRoutes = (home: string, api: '/operator/v1' | '/api/v1'): Readonly<Record<string, Route>> => ({
  [`${home}/packages/:loggi_key/label`]: {
    page: (visit) => handOn(visit, 'GET /api/v1/packages/{loggi_key}/label', { query: labelQuery(visit) }),
  },
  [`${home}/orders/:id/labels`]: {
    page: (visit) => handOn(visit, 'GET /api/v1/orders/{id}/labels', { query: labelQuery(visit) }),
  },
  [`${home}/packages/:loggi_key/proof/photo`]: { page: picture(`GET ${api}/packages/{loggi_key}/proof/photo`) },
  [`${home}/packages/:loggi_key/proof/signature`]: { page: picture(`GET ${api}/packages/{loggi_key}/proof/signature`) },
});

type Proof = RestSchemas['DeliveryProof'];

/** Shows the proof of delivery. `path` is the path of the package's page. */
export function ProofSection({ proof, path }: { proof: Proof; path: string }) {
  const { position, pin } = proof;
  return (
    <Section title={texts.proof} id="proof">
      {factList([
        [texts.deliveredAt, <Time at={proof.delivered_at} />],
        [texts.receivedBy, proof.recipient_name],
        [texts.document, proof.recipient_document],
        [texts.position, position && positionText(position)],
        [texts.pin, pin && <Word of={valueWords.pinStates} value={pin} />],
      ])}
      <div class="pictures">
        <Picture {...{ proof, path }} kind="photo" />
        <Picture {...{ proof, path }} kind="signature" />
      </div>
    </Section>
  );
}

const positionText = ({ latitude, longitude, accuracy }: NonNullable<Proof['position']>): string =>
  `${latitude}, ${longitude}${accuracy === undefined ? '' : ` ± ${accuracy} m`}`;

function Picture({ proof, path, kind }: { proof: Proof; path: string; kind: 'photo' | 'signature' }) {
  const name = useVisit().say(texts[kind]);
  const picture = proof[kind];
  if (!picture) return null;
  const address = `${path}/proof/${kind}`;
  return (
    <figure>
      <a href={address}>
        <img src={address} alt={name} loading="lazy" />
      </a>
      <figcaption>
        {name}, {Math.ceil(picture.size / 1024)} KiB
      </figcaption>
    </figure>
  );
}

type PricedOrder = RestSchemas['OrderSummary'];

const lineKinds = ['base', 'distance', 'weight', 'extra_stop', 'line_haul', 'ad_valorem'] as const;

/** Columns of a file of orders: service, packages, total and the parts of the price. */
export const priceCells: Cells<PricedOrder> = [
  [texts.service, ({ service }, { word }) => word(valueWords.services, service)],
  [texts.packages, ({ package_count: count }) => count],
  [texts.total, ({ total }, { amount }) => amount(total)],
  ...lineKinds.map((kind): Cells<PricedOrder>[number] => [
    valueWords.priceLines[kind] ?? texts.total,
    ({ pricing }, { amount }) => amount(pricing?.lines.find((line) => line.kind === kind)?.amount),
  ]),
];
