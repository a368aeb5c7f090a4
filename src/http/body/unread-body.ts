import type { Request, Response } from 'express';

/** Up to this size, the rest of a refused body is read, so that the connection can serve the next request. */
const SMALL_BYTES = 65_536;

/** Time without reading. A client that reads the refusal at once leaves meanwhile. */
const STILL_MS = 200;
/** Time until the connection is cut. A client that still sends can read the refusal meanwhile. */
const LINGER_MS = 1_000;

const isSmall = ({ headers }: Request): boolean =>
  headers.expect === undefined &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) <= SMALL_BYTES;

/** Tells a client with `Expect: 100-continue` to send its body. */
export function askForBody({ headers }: Request, res: Response): void {
  if (headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
}

/** After the answer to a refused request, ends the connection if a large body was not read. */
export function leaveUnread(req: Request, res: Response): void {
  if (!req.complete && !isSmall(req)) endAfterAnswer(req, res);
}

/**
 * Ends the connection after the answer. Most clients then leave, so the rest of their body costs nothing. Some clients
 * first send the whole body. For them it is read and thrown away for a moment: closing with unread bytes would reset
 * the connection before they read the answer.
 */
export function endAfterAnswer(req: Request, res: Response): void {
  if (req.complete) return;
  res.setHeader('Connection', 'close');
  const { socket } = req;
  // Node calls this after the last answer of a connection was sent.
  socket.destroySoon = () => {
    socket.end();
    // Node starts to read the rest in this turn of the event loop, so pause it afterwards.
    setImmediate(() => socket.pause());
    setTimeout(() => socket.resume(), STILL_MS).unref();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  req.resume();
}
