import type { Request, Response } from 'express';

/** A rest of a body that is read to its end, so that the connection serves the next request. */
const SMALL_BYTES = 65_536;

/** Time in which a client that reads its refusal at once goes away. */
const STILL_MS = 200;
/** Time in which a client that still sends can read the refusal. */
const LINGER_MS = 1_000;

const isSmall = ({ headers }: Request): boolean =>
  headers.expect === undefined &&
  headers['transfer-encoding'] === undefined &&
  Number(headers['content-length'] ?? 0) <= SMALL_BYTES;

/** Tells a client to send the body that it holds back (`Expect: 100-continue`). */
export function askForBody({ headers }: Request, res: Response): void {
  if (headers.expect?.toLowerCase() === '100-continue') res.writeContinue();
}

/** Ends the connection of a refused request after the answer, where a larger body has not been read. */
export function leaveUnread(req: Request, res: Response): void {
  if (!req.complete && !isSmall(req)) endAfterAnswer(req, res);
}

/**
 * Ends the connection after the answer. Most clients leave once they have it, and the rest of their body costs nothing.
 * For those that send all of it first, it is read and thrown away for a moment: to close with bytes unread would reset
 * the connection before the answer.
 */
export function endAfterAnswer(req: Request, res: Response): void {
  if (req.complete) return;
  res.setHeader('Connection', 'close');
  const { socket } = req;
  // Node calls it when the last answer of a connection has left.
  socket.destroySoon = () => {
    socket.end();
    // Node begins to read the rest in this turn.
    setImmediate(() => socket.pause());
    setTimeout(() => socket.resume(), STILL_MS).unref();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
  req.resume();
}
