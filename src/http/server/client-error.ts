import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { malformed, ServiceError } from '../../base/errors.js';
import { newId } from '../../base/ids.js';
import { envelopeOf } from '../errors.js';

export const MAX_HEADER_BYTES = 16_384;

type ClientError = Error & { readonly code?: string };

/** Requests that Node's parser refuses never reach Express: status and fault by the parser's code. */
function refusal({ code }: ClientError): [status: number, fault: ServiceError] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return [431, new ServiceError('PAYLOAD_TOO_LARGE', `The headers are larger than ${MAX_HEADER_BYTES} bytes.`)];
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return [413, new ServiceError('PAYLOAD_TOO_LARGE', 'The chunk extensions are too large.')];
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return [408, malformed('The request did not arrive in time.')];
    default:
      return [400, malformed('The request is not valid HTTP.')];
  }
}

/** Answers what Node could not parse, or gave up waiting for, with the error envelope, and hangs up. */
export function answerClientError(error: ClientError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const [status, fault] = refusal(error);
  const body = JSON.stringify(envelopeOf(fault));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    `X-Request-Id: ${newId()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}
