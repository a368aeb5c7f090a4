import { IncomingMessage, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Express } from 'express';

/** A request to an application of this process, without a connection. */
export interface InnerRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Address of the client that it is sent for. */
  readonly ip: string;
  /** Aborted when that client goes away. */
  readonly signal?: AbortSignal;
  /** Takes the body of a success while it is made; the answer has none then. */
  readonly target?: Target | undefined;
}

/** The reader of a body. */
export interface Target {
  /** Called before the first part. */
  begin(headers: OutgoingHttpHeaders): void;
  /** The next part goes there when this one is taken. */
  readonly writable: Writable;
}

export interface InnerAnswer {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

class InnerSocket extends Socket {
  readonly written: Buffer[] = [];
  /** Takes a part in place of `written`, if it will. */
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

/** True of a request that a page of this process sends for somebody who has signed in. */
export const isInner = (req: IncomingMessage): boolean => innerRequests.has(req);

const END_OF_HEAD = '\r\n\r\n';

function requestOf(app: Express, socket: Socket, { method, path, headers, body, ip }: InnerRequest): IncomingMessage {
  Object.defineProperty(socket, 'remoteAddress', { value: ip });
  // An instance of the class that the server gives Node, so that Express need not change it: see http-server.ts.
  const req: IncomingMessage = Reflect.construct(IncomingMessage, [socket], app.request.constructor);
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  req.method = method;
  req.url = path;
  // Its answers are not chunked.
  Object.assign(req, { httpVersion: '1.0', httpVersionMajor: 1, httpVersionMinor: 0 });
  req.headers = { ...headers, ...(bytes && { 'content-length': String(bytes.length) }) };
  req.headersDistinct = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, [String(value)]]));
  if (bytes) req.push(bytes);
  req.push(null);
  // Without it, the end of the body counts as that of the connection.
  req.complete = true;
  innerRequests.add(req);
  return req;
}

/** Passes the body of a success on to its reader, who ends it by going away. */
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
    // The head comes with the first part of the body, or alone.
    const end = part.indexOf(END_OF_HEAD);
    return write(part.subarray(end + END_OF_HEAD.length), done);
  };
}

/** Answers a request by the application, without a socket or the parser. Rejects when the answer is given up. */
export function sendWithin(app: Express, request: InnerRequest): Promise<InnerAnswer> {
  return new Promise((resolve, reject) => {
    const socket = new InnerSocket();
    const req = requestOf(app, socket, request);
    const res: ServerResponse = Reflect.construct(ServerResponse, [req], app.response.constructor);
    res.assignSocket(socket);
    if (request.target) socket.pass = passTo(res, request.target);
    // Node's server tells a response that its socket has room again; without it a long body would wait for ever.
    socket.on('drain', () => res.emit('drain'));
    res.once('finish', () => {
      const bytes = Buffer.concat(socket.written);
      const body = bytes.subarray(bytes.indexOf(END_OF_HEAD) + END_OF_HEAD.length);
      resolve({ status: res.statusCode, headers: res.getHeaders(), body });
      socket.destroy();
    });
    // An error is made only for who gets it: its stack takes longer than the rest of the end.
    res.once('close', () => res.writableFinished || reject(new Error('the answer was cut off')));
    request.signal?.addEventListener('abort', () => socket.destroy(), { once: true });
    app(req, res);
  });
}
