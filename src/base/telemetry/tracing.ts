// Tracing as parts of the service see it. If it is off, nothing implements it, and no library is loaded.

/** A W3C trace context, as `traceparent` carries it: version, trace id, span id, flags. */
export type TraceParent = string;

type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface Span {
  /** Names this span as the cause of other work. */
  readonly traceparent: TraceParent;
  /** `failed` means a failure of the service, not one that a client caused. */
  end(outcome: { readonly name?: string; readonly attributes?: Attributes; readonly failed?: boolean }): void;
}

interface SpanOptions {
  readonly kind?: 'server' | 'client';
  /** The span that caused this one. Undefined begins a new trace. */
  readonly parent?: TraceParent | undefined;
  readonly links?: readonly TraceParent[];
}

export interface Tracer {
  start(name: string, options: SpanOptions): Span;
}

// Also the first 55 characters in later versions (W3C Trace Context, 3.2.4 and 4.3). `ff` is not a version.
const TRACEPARENT = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|-)/;
const LENGTH = 55;
const LONGEST = 256;

/** The trace context in a header, in the form of version 00. Undefined if there is no valid one. */
export function traceparentIn(header: string | string[] | undefined): TraceParent | undefined {
  if (typeof header !== 'string' || header.length > LONGEST || !TRACEPARENT.test(header)) return undefined;
  if (header.startsWith('00') && header.length > LENGTH) return undefined;
  return `00${header.slice(2, LENGTH)}`;
}

/** The context of a trace that is not recorded. Its id has the digits of a UUIDv7. */
export function traceparentOf(id: string): TraceParent {
  const digits = id.replaceAll('-', '');
  // The second half of a UUID begins with its variant, so it is never zero; a span id must not be zero.
  return `00-${digits}-${digits.slice(16)}-00`;
}

export const traceIdOf = (traceparent: TraceParent): string => traceparent.slice(3, 35);

/** Fields of a log line that name the trace. Empty without a trace. */
export const traceFields = (traceparent: TraceParent | undefined): { traceId?: string } =>
  traceparent === undefined ? {} : { traceId: traceIdOf(traceparent) };

/** Where work comes from: the interface that asked for it, and the trace. */
export interface Origin {
  readonly interfaceName: string;
  readonly traceparent?: TraceParent | undefined;
  /** The order or the packages of the request, for the line of the log. */
  readonly subject?: Subject;
}

interface Subject {
  orderId?: string;
  loggiKeys?: readonly string[];
}

/** Most package keys in a line of the log. */
const MAX_KEYS = 5;

/** Notes the order that a request made, or the packages that it changed. Leaves out keys if there are too many. */
export function noteSubject(origin: Origin | undefined, { orderId, loggiKeys = [] }: Subject): void {
  if (!origin?.subject) return;
  if (orderId !== undefined) origin.subject.orderId = orderId;
  if (loggiKeys.length > 0 && loggiKeys.length <= MAX_KEYS) origin.subject.loggiKeys = loggiKeys;
}

interface TracedWork {
  readonly tracer: Tracer | undefined;
  readonly name: string;
  readonly parent: TraceParent | undefined;
  readonly attributes?: Attributes;
}

/** Does work in a span of its own, if there is a tracer. `work` receives the trace context, to pass it on. */
export async function traced<T>(
  { tracer, name, parent, attributes = {} }: TracedWork,
  work: (traceparent: TraceParent | undefined) => Promise<T>,
): Promise<T> {
  if (!tracer) return work(parent);
  const span = tracer.start(name, { parent });
  try {
    const result = await work(span.traceparent);
    span.end({ attributes });
    return result;
  } catch (error) {
    span.end({ attributes, failed: true });
    throw error;
  }
}
