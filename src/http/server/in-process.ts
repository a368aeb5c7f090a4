import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Express } from 'express';

/** A request to an application of this process, without a network connection. */
export interface InnerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Address of the client that caused the request. */
  readonly ip: string;
  /** Aborted if that client leaves. */
  readonly signal?: AbortSignal;
  /** Receives the body of a success while it is made. The body of the answer is then empty. */
  readonly target?: Target | undefined;
}

/** Receives a body piece by piece. */
export interface Target {
  /** Called before the first piece. */
  begin(headers: OutgoingHttpHeaders): void;
  /** Receives the pieces. The next piece is written when it has taken this one. */
  readonly writable: Writable;
}

export interface InnerAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

class InnerSocket extends Socket {
  readonly written: Buffer[] = [];
  /** Takes a piece instead of `written`. False if it does not take it. */
  pass: ((part: Buffer, done: () => void) => boolean) | undefined;

  override _read(): void {}

  override _write(chunk: Buffer | string, encoding: BufferEncoding, done: () => void): void {
    const part = bytesOf(chunk, encoding);
    if (this.pass?.(part, done)) return;
    this.written.push(part);
    done();
  }

  override _writev(chunks: { chunk: Buffer | string; encoding: BufferEncoding }[], done: () => void): void {
    this._write(Buffer.concat(chunks.map(({ chunk, encoding }) => bytesOf(chunk, encoding))), 'utf8', done);
  }
}

const bytesOf = (chunk: Buffer | string, encoding: BufferEncoding): Buffer =>
  typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk;

const innerRequests = new WeakSet<IncomingMessage>();

/** True if a page of this process sent the request for a person who has signed in. */
export const isInner = (req: IncomingMessage): boolean => innerRequests.has(req);

const END_OF_HEAD = '\r\n\r\n';

function requestOf(app: Express, socket: Socket, { method, path, headers, body, ip }: InnerRequest): IncomingMessage {
  Object.defineProperty(socket, 'remoteAddress', { value: ip });
  // Use the class that http-server.ts gave to Node, so that Express need not change the object.
  const req: IncomingMessage = Reflect.construct(IncomingMessage, [socket], app.request.constructor);
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  req.method = method;
  req.url = path;
  // HTTP/1.0 answers are not chunked.
  Object.assign(req, { httpVersion: '1.0', httpVersionMajor: 1, httpVersionMinor: 0 });
  req.headers = { ...headers, ...(bytes && { 'content-length': String(bytes.length) }) };
  req.headersDistinct = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, [String(value)]]));
  if (bytes) req.push(bytes);
  req.push(null);
  // Without this, the end of the body looks like the end of the connection.
  req.complete = true;
  innerRequests.add(req);
  return req;
}

/** Passes the body of a success to the target. If the target closes, the answer ends. */
function passTo(res: ServerResponse, { begin, writable }: Target): InnerSocket['pass'] {
  let isBody = false;
  const write = (part: Buffer, done: () => void): boolean => {
    if (writable.destroyed) res.destroy();
    else if (part.length === 0 || writable.write(part)) done();
    else writable.once('drain', done);
    return true;
  };
  writable.once('close', () => res.destroy());
  return (part, done) => {
    if (res.statusCode !== 200) return false;
    if (isBody) return write(part, done);
    isBody = true;
    begin(res.getHeaders());
    // The head arrives with the first piece of the body, or alone.
    const end = part.indexOf(END_OF_HEAD);
    return write(part.subarray(end + END_OF_HEAD.length), done);
  };
}

/**
 * Lets the application answer a request without a socket and without the HTTP parser. Rejects if the answer is cut off.
 */
export function sendWithin(app: Express, request: InnerRequest): Promise<InnerAnswer> {
  return new Promise((resolve, reject) => {
    const socket = new InnerSocket();
    const req = requestOf(app, socket, request);
    const res: ServerResponse = Reflect.construct(ServerResponse, [req], app.response.constructor);
    res.assignSocket(socket);
    if (request.target) socket.pass = passTo(res, request.target);
    // Node's server tells a response when its socket has room again. Without this, a long body would wait for ever.
    socket.on('drain', () => res.emit('drain'));
    res.once('finish', () => {
      const bytes = Buffer.concat(socket.written);
      const body = bytes.subarray(bytes.indexOf(END_OF_HEAD) + END_OF_HEAD.length);
      resolve({ status: res.statusCode, headers: res.getHeaders(), body });
      socket.destroy();
    });
    // Make the error only if it is needed: its stack costs more than everything else here.
    res.once('close', () => res.writableFinished || reject(new Error('the answer was cut off')));
    request.signal?.addEventListener('abort', () => socket.destroy(), { once: true });
    app(req, res);
  });
}
