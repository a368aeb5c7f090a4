import { type Context, ROOT_CONTEXT, type SpanContext, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { newId } from '../base/ids.js';
import type { Span, TraceParent, Tracer } from '../base/telemetry/tracing.js';
import { version } from '../base/version.js';

// Only this file uses OpenTelemetry, and it is loaded only if traces are exported. The SDK reads the standard variables
// for sampler, headers, timeouts, batch sizes and resource attributes.

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT };

/**
 * Sends spans in batches over HTTP to the OTLP receiver at `endpoint`. `stop` sends the remaining spans. Spans that the
 * receiver refuses are lost, but delay nothing.
 */
export function createOtlpTracer({ endpoint, serviceName }: { endpoint: string; serviceName: string }) {
  const resource = defaultResource().merge(
    resourceFromAttributes({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': newId(),
      'process.pid': process.pid,
    }),
  );
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
  const otel = provider.getTracer('malote', version);
  const tracer: Tracer = {
    start: (name, { kind, parent, links = [] }) => {
      const options = {
        kind: kind ? kinds[kind] : SpanKind.INTERNAL,
        links: links.map((link) => ({ context: contextIn(link) })),
      };
      return toSpan(otel.startSpan(name, options, under(parent)));
    },
  };
  return { tracer, stop: () => provider.shutdown() };
}

type OtelSpan = ReturnType<ReturnType<BasicTracerProvider['getTracer']>['startSpan']>;

function toSpan(span: OtelSpan): Span {
  return {
    traceparent: headerOf(span.spanContext()),
    end: ({ name, attributes, failed }) => {
      if (name !== undefined) span.updateName(name);
      if (attributes) span.setAttributes(attributes);
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

const headerOf = ({ traceId, spanId, traceFlags }: SpanContext): TraceParent =>
  `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;

function contextIn(traceparent: TraceParent): SpanContext {
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

const under = (parent: TraceParent | undefined): Context =>
  parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, contextIn(parent));
