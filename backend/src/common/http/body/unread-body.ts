import type { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { hasBody } from './captured-body.js';

/** How long, in ms, and how far, in bytes, the rest of a refused body is still taken in, and thrown away. */
const LINGER_MS = 1000;
const LINGER_BYTES = 1024 * 1024;

/** Connections whose last answer is on its way. */
const closing = new WeakSet<Socket>();

/**
 * Express middleware: a request that is answered before its body has come is the last one of its connection. Otherwise
 * Node.js would read the rest of the body, however long it is, to get to the next request.
 *
 * The connection's end is sent right behind the answer. Closing it fully would send a reset too when there are unread
 * bytes, which can overtake the answer at a caller who is still sending (RFC 9112, 9.6): for a moment the rest is taken in.
 */
export function closeUnread(request: Request, response: Response, next: NextFunction): void {
  // A further request in the bytes that are thrown away.
  if (closing.has(request.socket)) return void request.socket.destroy();
  if (!hasBody(request)) return next();
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => Response;
  response.writeHead = (...args: unknown[]): Response => {
    if (!request.complete) {
      response.setHeader('Connection', 'close');
      closing.add(request.socket);
      // Node.js calls it when the last answer of a connection is written.
      request.socket.destroySoon = () => linger(request);
      // From here on the body counts as read, so that Node.js leaves it to us.
      request.read(0);
    }
    return writeHead(...args);
  };
  // The rest of the bytes that came with the head is parsed first: a short body is there then, and the connection stays.
  setImmediate(next);
}

function linger(request: Request): void {
  const { socket } = request;
  let taken = 0;
  const end = () => socket.destroy();
  const timer = setTimeout(end, LINGER_MS);
  socket.once('close', () => clearTimeout(timer));
  socket.end();
  request
    .on('data', (part: Buffer) => {
      taken += part.length;
      if (taken > LINGER_BYTES) end();
    })
    .once('end', end)
    .resume();
}
