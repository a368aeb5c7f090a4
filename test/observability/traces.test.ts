import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createLog } from '../../src/base/telemetry/log.js';
import { traceIdOf, traceparentIn } from '../../src/base/telemetry/tracing.js';
import { movementTo, orderBody } from '../support/bodies.js';
import { gateOf } from '../support/gate.js';
import { ask, must } from '../support/http.js';
import { attributeOf, type ReceivedSpan, startOtlpReceiver } from '../support/otlp.js';
import { waitFor } from '../support/receiver.js';
import { type Caller, type Service, startService } from '../support/service.js';
import { trustedReceiver } from '../support/services.js';

/** One trace leads from a client's request to the webhook requests that it causes. */

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparentOfClient = `00-${TRACE}-00f067aa0ba902b7-01`;

const { receiver, settings } = await trustedReceiver();
const otlp = await startOtlpReceiver();
afterAll(otlp.close);
const lines: Record<string, unknown>[] = [];
const log = createLog({ level: 'debug', destination: { write: (line) => void lines.push(JSON.parse(line)) } });

async function registered({ operator, customer }: Service): Promise<Caller> {
  const shipper = await customer();
  const body = { user_id: shipper.id, url: receiver.url, username: 'malote', password: 'p4ss-word-of-theirs' };
  must(await operator.operator.POST('/operator/v1/webhook-endpoints', { body }));
  return shipper;
}

/** Creates an order. Resolves to its package when its first notification has arrived. */
async function ordered(shipper: Caller, headers: Record<string, string> = {}): Promise<string> {
  const before = receiver.received.length;
  const order = must(await shipper.rest.POST('/api/v1/orders', { body: orderBody(), headers }));
  await receiver.until(before + 1);
  return order.packages[0]?.loggi_key ?? '';
}

async function reported({ url, operator }: Service, loggi_key: string, headers: Record<string, string> = {}) {
  const body = { movements: [movementTo(loggi_key)] };
  const { status } = await ask(url, 'POST', '/operator/v1/movements', { token: operator.token, body, headers });
  expect(status).toBe(200);
}

/** Reports a movement. Resolves to the trace in the webhook request for it. */
async function moved(service: Service, loggiKey: string, headers: Record<string, string> = {}) {
  const before = receiver.received.length;
  await reported(service, loggiKey, headers);
  await receiver.until(before + 1);
  return receiver.received.at(-1)?.headers['traceparent'];
}

const attemptLines = () => lines.filter(({ msg }) => msg === 'webhook.attempt');
const requestLines = (path: string) => lines.filter((line) => line['msg'] === 'http.request' && line['path'] === path);

describe('with an OTLP receiver', () => {
  let service: Service;

  beforeAll(async () => {
    // Without this setting the exporter sends only every five seconds.
    process.env['OTEL_BSP_SCHEDULE_DELAY'] = '25';
    const env = { ...settings, OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url, OTEL_SERVICE_NAME: 'malote-north' };
    service = await startService(env, { log });
  });
  afterAll(() => service.stop());
  beforeEach(() => void lines.splice(0));

  const named = (name: string, traceId: string): ReceivedSpan | undefined =>
    otlp.spans.find((span) => span.name === name && span.traceId === traceId);
  const spansOf = async (traceId: string, names: readonly string[]): Promise<ReceivedSpan[]> => {
    await waitFor(() => names.every((name) => named(name, traceId)), `${names.join(', ')} of ${traceId}`);
    return names.flatMap((name) => named(name, traceId) ?? []);
  };

  test('a movement is one trace from its request to the webhook request, which names its last span', async () => {
    const key = await ordered(await registered(service));
    const header = await moved(service, key);
    const traceId = traceIdOf(header?.toString() ?? '');
    const names = ['operator recordMovements', 'record movements', 'webhook attempt'];
    const [request, work, attempt] = await spansOf(traceId, names);
    const parents = [request?.parentSpanId ?? '', work?.parentSpanId, attempt?.parentSpanId];
    expect(parents).toEqual(['', request?.spanId, work?.spanId]);
    expect(header).toBe(`00-${traceId}-${attempt?.spanId}-01`);
    expect([request?.kind, work?.kind, attempt?.kind]).toEqual([2, 1, 3]);
    expect(request && attributeOf(request, 'http.response.status_code')).toBe('200');
    expect(request && attributeOf(request, 'http.route')).toBe('/operator/v1/movements');
    expect(attempt && attributeOf(attempt, 'malote.outcome')).toBe('acknowledged');
    expect([...otlp.services]).toEqual(['malote-north']);
    expect([...otlp.instances]).toEqual([expect.stringMatching(/^[\da-f-]{36}$/)]);
    await waitFor(() => attemptLines().length === 2, 'the lines of both attempts');
    expect(attemptLines().at(-1)).toMatchObject({ traceIds: [traceId] });
    expect(requestLines('/operator/v1/movements')).toMatchObject([{ traceId }]);
  });

  test("an order continues the client's trace", async () => {
    await ordered(await registered(service), { traceparent: traceparentOfClient });
    const [request, work] = await spansOf(TRACE, ['rest createOrder', 'place order', 'webhook attempt']);
    expect([request?.parentSpanId, work?.parentSpanId]).toEqual(['00f067aa0ba902b7', request?.spanId]);
  });

  test('an attempt caused by several requests is linked to each of them', async () => {
    const shipper = await registered(service);
    const keys = [await ordered(shipper), await ordered(shipper)];
    const gate = gateOf();
    receiver.next(async (_, response) => {
      await gate.passed();
      response.writeHead(200).end();
    });
    const [first = '', second = ''] = keys;
    await moved(service, first);
    await Promise.all([reported(service, first), reported(service, second)]);
    gate.open();
    await waitFor(() => otlp.spans.some(({ links = [] }) => links.length > 0), 'an attempt with a link');
  });

  test('a text that is not a trace context is ignored', async () => {
    const { headers } = await ask(service.url, 'GET', '/health', { headers: { traceparent: 'ff-00-00-00' } });
    expect(headers.get('x-request-id')).not.toBeNull();
    await waitFor(() => requestLines('/health').length === 1, 'the line of the request');
    expect(requestLines('/health')[0]?.['traceId']).toMatch(/^[\da-f]{32}$/);
  });
});

describe('without an OTLP receiver', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService(settings, { log });
  });
  afterAll(() => service.stop());
  beforeEach(() => void lines.splice(0));

  test("the client's trace continues to the receiver and into the log", async () => {
    const key = await ordered(await registered(service));
    expect(await moved(service, key, { traceparent: traceparentOfClient })).toBe(traceparentOfClient);
    await waitFor(() => attemptLines().length === 2, 'the lines of both attempts');
    expect(attemptLines().at(-1)).toMatchObject({ traceIds: [TRACE] });
    expect(requestLines('/operator/v1/movements')).toMatchObject([{ traceId: TRACE }]);
  });

  test('a request without a trace gets one with its id, which its log line and those of attempts have', async () => {
    const key = await ordered(await registered(service));
    const header = await moved(service, key);
    await waitFor(() => attemptLines().length === 2, 'the lines of both attempts');
    const [{ requestId, traceId } = {}] = requestLines('/operator/v1/movements');
    expect(traceId).toBe(String(requestId).replaceAll('-', ''));
    expect(attemptLines().at(-1)).toMatchObject({ traceIds: [traceId] });
    expect(traceparentIn(header?.toString())).toBe(`00-${traceId}-${String(traceId).slice(16)}-00`);
  });

  test('a request with an id from the client gets a new trace', async () => {
    const headers = { 'X-Request-Id': 'scan-17' };
    await ask(service.url, 'GET', '/health', { headers });
    await ask(service.url, 'GET', '/health', { headers });
    await waitFor(() => requestLines('/health').length === 2, 'the lines of the requests');
    const [first, second] = requestLines('/health');
    expect([first?.['requestId'], first?.['traceId']]).toEqual(['scan-17', expect.stringMatching(/^[\da-f]{32}$/)]);
    expect(second?.['traceId']).not.toBe(first?.['traceId']);
  });
});

test.each([
  [traceparentOfClient, traceparentOfClient],
  [`cc-${TRACE}-00f067aa0ba902b7-01-what-comes-later`, traceparentOfClient],
  [`00-${TRACE}-00f067aa0ba902b7-01-more`, undefined],
  [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, undefined],
  [`00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  [`ff-${TRACE}-00f067aa0ba902b7-01`, undefined],
  [traceparentOfClient.toUpperCase(), undefined],
  [`cc-${TRACE}-00f067aa0ba902b7-01-${'x'.repeat(300)}`, undefined],
  ['', undefined],
  [undefined, undefined],
])('the header %s is read as %s', (header, expected) => {
  expect(traceparentIn(header)).toBe(expected);
});
