import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const waiting = new WeakSet<IncomingMessage>();

/**
 * Callers that send `Expect: 100-continue` wait before they send a body. Node.js lets them go on at once; here they wait
 * until somebody wants to read it, so that what is refused before is never sent.
 */
export function delayContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(request);
    server.emit('request', request, response);
  });
}

/** Lets a caller who waits for it send the body. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (waiting.delete(request)) response.writeContinue();
}
