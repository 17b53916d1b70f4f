import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { hasBody } from './captured-body.js';

/** Limits for reading and discarding the rest of a refused body, in ms and in bytes. */
const LINGER_TIMEOUT_MS = 1000;
const MAX_LINGER_BYTES = 1024 * 1024;

const closingSockets = new WeakSet<Socket>();

/**
 * Express middleware that closes the connection if the response is sent before the request's body has arrived.
 * Otherwise Node.js would read the rest of the body, of any length, before the next request.
 *
 * The response is directly followed by the end of the connection. Closing fully with unread bytes would also send a
 * reset, which can overtake the response while the client is still sending (RFC 9112, 9.6). So the rest of the body is
 * read for a short time.
 */
export function closeAfterUnreadBody(request: Request, response: Response, next: NextFunction): void {
  // The discarded bytes contain another request.
  if (closingSockets.has(request.socket)) return void request.socket.destroy();
  if (!hasBody(request)) return next();
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => Response;
  response.writeHead = (...args: unknown[]): Response => {
    if (!request.complete) {
      response.setHeader('Connection', 'close');
      closingSockets.add(request.socket);
      // Node.js calls this after it has written the last response of a connection.
      request.socket.destroySoon = () => discardUnreadBody(request);
      // Makes Node.js treat the body as read.
      request.read(0);
    }
    return writeHead(...args);
  };
  // Continues after the bytes that came with the head are parsed. A short body is then complete, so the connection
  // stays open.
  setImmediate(next);
}

function discardUnreadBody(request: Request): void {
  const { socket } = request;
  let taken = 0;
  const end = () => socket.destroy();
  const timer = setTimeout(end, LINGER_TIMEOUT_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end();
  request
    .on('data', (part: Buffer) => {
      taken += part.length;
      if (taken > MAX_LINGER_BYTES) end();
    })
    .once('end', end)
    .resume();
}
