import type { IncomingMessage, Server, ServerResponse } from 'node:http';

const waitingRequests = new WeakSet<IncomingMessage>();

/**
 * Delays the answer to `Expect: 100-continue` until the body is about to be read, whereas Node.js answers immediately.
 * So clients never send the bodies of refused requests.
 */
export function delayContinueResponses(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waitingRequests.add(request);
    server.emit('request', request, response);
  });
}

export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  if (waitingRequests.delete(request)) response.writeContinue();
}
