import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

/** Response to the next call; undefined: none, so that the caller waits. */
export type ReceiverAnswer = { status: number; headers?: Record<string, string>; body?: string } | undefined;

export interface HttpReceiver {
  url: string;
  calls: ReceivedCall[];
  /** Sets the response to later calls; default: 200. */
  answer(with_: (call: ReceivedCall) => ReceiverAnswer): void;
  close(): Promise<void>;
}

export async function startHttpReceiver(): Promise<HttpReceiver> {
  const calls: ReceivedCall[] = [];
  let answerOf: (call: ReceivedCall) => ReceiverAnswer = () => ({ status: 200, body: 'ok' });
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const call = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(parts).toString() };
      calls.push(call);
      const answer = answerOf(call);
      if (answer) response.writeHead(answer.status, answer.headers).end(answer.body ?? '');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answer: (with_) => (answerOf = with_),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
