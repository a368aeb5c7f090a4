import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listening } from './port.js';

/** The parts of an OTLP/JSON span that tests read. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  links?: { traceId: string; spanId: string }[];
  status?: { code?: number };
}

interface ExportRequest {
  resourceSpans: { resource: Pick<ReceivedSpan, 'attributes'>; scopeSpans: { spans: ReceivedSpan[] }[] }[];
}

/** A real OTLP receiver over HTTP. */
export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;

export async function startOtlpReceiver() {
  const spans: ReceivedSpan[] = [];
  const services = new Set<string>();
  const instances = new Set<string>();
  const server = createServer(async (req, res) => {
    if (req.url !== '/v1/traces') return void res.writeHead(404).end();
    const { resourceSpans } = (await json(req)) as ExportRequest;
    for (const { resource, scopeSpans } of resourceSpans) {
      services.add(attributeOf(resource, 'service.name') ?? '');
      instances.add(attributeOf(resource, 'service.instance.id') ?? '');
      spans.push(...scopeSpans.flatMap((scope) => scope.spans));
    }
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  return {
    url: `http://127.0.0.1:${await listening(server)}`,
    spans,
    services,
    instances,
    close: () => new Promise<void>((resolve) => void server.close(() => resolve()).closeAllConnections()),
  };
}

export const attributeOf = ({ attributes }: Pick<ReceivedSpan, 'attributes'>, name: string): string | undefined => {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue?.toString();
};
