import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedWebhook {
  id: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  type: string;
  data: Record<string, unknown>;
}

type Answer = (request: ReceivedWebhook, response: ServerResponse) => void;

export interface WebhookReceiver {
  url: string;
  received: ReceivedWebhook[];
  /** Sets the response to later calls; default: 204. */
  answers(answer: Answer): void;
  at(path: string): ReceivedWebhook[];
  close(): Promise<void>;
}

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  let answer: Answer = (_, response) => response.writeHead(204).end();
  const received: ReceivedWebhook[] = [];
  const take = (request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { type, data } = JSON.parse(body) as Pick<ReceivedWebhook, 'type' | 'data'>;
      const headers = request.headers as Record<string, string>;
      const message = { id: headers['webhook-id'] ?? '', path: request.url ?? '', headers, body, type, data };
      received.push(message);
      answer(message, response);
    });
  };
  const server: Server = createServer(take);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    answers: (next) => (answer = next),
    at: (path) => received.filter((message) => message.path === path),
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Whether the library of Standard Webhooks accepts the signature of the message. */
export function isSignedWith(secret: string, { body, headers }: ReceivedWebhook): boolean {
  try {
    new Webhook(secret).verify(body, headers);
    return true;
  } catch {
    return false;
  }
}
