import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface ReceivedCall {
  type: string;
  genuine: boolean;
}

export interface Receiver {
  url: string;
  taken: ReceivedCall[];
  secret: string;
  status: number;
  end(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      const { type } = JSON.parse(body) as { type: string };
      receiver.taken.push({ type, genuine: isGenuine(body, request.headers as Record<string, string>) });
      response.writeHead(receiver.status).end(receiver.status < 300 ? 'taken' : 'closed for <b>today</b>');
    });
  });
  // Implements the specification independently of Runward's library.
  const isGenuine = (body: string, headers: Record<string, string>): boolean => {
    const key = Buffer.from(receiver.secret.replace('whsec_', ''), 'base64');
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
    return headers['webhook-signature']?.split(' ').includes(expected) ?? false;
  };
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    taken: [],
    secret: 'whsec_AAAA',
    status: 200,
    end: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(() => done());
      }),
  };
  return receiver;
}
