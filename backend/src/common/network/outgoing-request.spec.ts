import { createServer, request as requestTo, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import {
  type AddressInfo,
  connect,
  createServer as createSocketServer,
  type Server as SocketServer,
  type Socket,
} from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { selfSignedCertificate } from '../../../test/support/self-signed.js';
import { OutgoingAddresses } from './outgoing-addresses.js';
import { OutgoingHttp, type OutgoingRequest } from './outgoing-request.js';

const NAME = 'hooks.example.test';
const certificate = selfSignedCertificate(NAME);
const seen: { url: string; host: string; body: string; headers: Record<string, unknown> }[] = [];
const opened: (Server | SocketServer)[] = [];
let folder: string;
let port: number;
let tlsPort: number;
let mutePort: number;
let resetPort: number;

const listen = async (server: Server | SocketServer): Promise<number> => {
  opened.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
let lookups = 0;
const lookup = (host: string) => {
  lookups += 1;
  if (host === 'nowhere.test') return Promise.reject(new Error('ENOTFOUND'));
  return Promise.resolve([{ address: host === 'outside.test' ? '192.0.2.1' : '127.0.0.1' }]);
};
const http = (caFile?: string, networks = ['127.0.0.0/8']) =>
  new OutgoingHttp(new OutgoingAddresses([], networks, lookup), caFile);
const get = (url: string, more: Partial<OutgoingRequest> = {}): OutgoingRequest => ({
  method: 'GET',
  url,
  timeoutMs: 5_000,
  maxBytes: 1024,
  ...more,
});
const codeOf = (sent: Promise<unknown>) =>
  sent.then(
    () => 'answered',
    (error: { code: string; message: string }) => {
      expect(error.message).not.toMatch(/s3cret/);
      return error.code;
    },
  );

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-outgoing-'));
  await writeFile(path.join(folder, 'ca.pem'), certificate.cert);
  const answer = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      seen.push({ url: request.url ?? '', host: request.headers.host ?? '', body, headers: request.headers });
      if (request.url === '/moved') response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
      else if (request.url === '/flood') response.end(Buffer.alloc(10 * 1024 * 1024, 'x'));
      else if (request.url === '/drip') response.write('begun');
      else if (request.url === '/head') response.setHeader('x-long', 'y'.repeat(60_000)).end();
      else response.writeHead(201, { 'x-told': 'yes' }).end('made');
    });
  });
  port = await listen(answer);
  tlsPort = await listen(createTlsServer(certificate, (_, response) => response.end('sealed')));
  mutePort = await listen(createSocketServer(() => undefined));
  resetPort = await listen(createSocketServer((socket) => socket.resetAndDestroy()));
});
afterAll(async () => {
  for (const server of opened) {
    if ('closeAllConnections' in server) server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
});

describe('a call to an address named by a tenant', () => {
  it('returns status, headers and body, and resolves the name once', async () => {
    lookups = 0;
    const answer = await http().send({
      ...get(`http://${NAME}:${port}/in?q=1`, { method: 'POST', body: 'told', headers: { 'x-one': 'two' } }),
    });
    expect(answer).toMatchObject({ status: 201, truncated: false, headers: { 'x-told': 'yes' } });
    expect(answer.body.toString()).toBe('made');
    expect(seen.at(-1)).toMatchObject({
      url: '/in?q=1',
      host: `${NAME}:${port}`,
      body: 'told',
      headers: { 'x-one': 'two' },
    });
    expect(lookups).toBe(1);
  });

  it('does not follow a redirect', async () => {
    expect((await http().send(get(`http://127.0.0.1:${port}/moved`))).status).toBe(302);
  });

  it('reads no more than the limit', async () => {
    const answer = await http().send(get(`http://127.0.0.1:${port}/flood`, { maxBytes: 100 }));
    expect([answer.body.length, answer.truncated]).toEqual([100, true]);
  });

  it('trusts public certificate authorities and those of the configured file', async () => {
    const url = `https://${NAME}:${tlsPort}/`;
    expect(await codeOf(http().send(get(url)))).toBe('tls_failed');
    const trusting = http(path.join(folder, 'ca.pem'));
    expect((await trusting.send(get(url))).body.toString()).toBe('sealed');
    expect(await codeOf(trusting.send(get(`https://other.test:${tlsPort}/`)))).toBe('tls_failed');
  });

  it('distinguishes the reasons for a missing response', async () => {
    const calls: Record<string, OutgoingRequest> = {
      bad_url: get('ftp://example.test/'),
      host_not_found: get('http://nowhere.test/'),
      address_refused: get('http://127.0.0.1:1/', {}),
      connection_refused: get(`http://127.0.0.1:1/s3cret?s3cret`),
      timed_out: get(`http://127.0.0.1:${mutePort}/s3cret`, { timeoutMs: 200 }),
      connection_lost: get(`http://127.0.0.1:${resetPort}/s3cret`),
      aborted: get(`http://127.0.0.1:${mutePort}/s3cret`, { signal: AbortSignal.timeout(200) }),
    };
    for (const [code, call] of Object.entries(calls)) {
      const networks = code === 'address_refused' ? [] : ['127.0.0.0/8'];
      expect([code, await codeOf(http(undefined, networks).send(call))]).toEqual([code, code]);
    }
  });

  it('times out for an endless response, and rejects an endless head', async () => {
    expect(await codeOf(http().send(get(`http://127.0.0.1:${port}/drip`, { timeoutMs: 300 })))).toBe('timed_out');
    expect(await codeOf(http().send(get(`http://127.0.0.1:${port}/head`)))).toBe('connection_lost');
  });

  describe('by a proxy of the environment', () => {
    const tunnels: string[] = [];
    let proxyPort: number;
    beforeAll(async () => {
      const proxy = createServer((request, response) => {
        tunnels.push(request.url ?? '');
        const to = requestTo({ port, path: new URL(request.url ?? '').pathname }, (answer) => answer.pipe(response));
        request.pipe(to);
      });
      proxy.on('connect', (request, client: Socket) => {
        tunnels.push(request.url ?? '');
        const server = connect(tlsPort, '127.0.0.1', () => client.write('HTTP/1.1 200 OK\r\n\r\n'));
        server.pipe(client).pipe(server);
        for (const socket of [client, server]) socket.on('error', () => undefined);
      });
      proxyPort = await listen(proxy);
    });
    beforeEach(() => {
      tunnels.length = 0;
      const address = `http://user:s3cret@127.0.0.1:${proxyPort}`;
      Object.assign(process.env, { HTTPS_PROXY: address, HTTP_PROXY: address, NO_PROXY: 'direct.test' });
    });
    afterEach(() => {
      for (const name of ['HTTPS_PROXY', 'HTTP_PROXY', 'NO_PROXY']) delete process.env[name];
    });

    it('reaches the name, with the certificate of that name', async () => {
      const trusting = http(path.join(folder, 'ca.pem'));
      expect((await trusting.send(get(`https://${NAME}:${tlsPort}/`))).body.toString()).toBe('sealed');
      expect(await codeOf(trusting.send(get(`https://other.test:${tlsPort}/`)))).toBe('tls_failed');
      expect((await http().send(get(`http://${NAME}:${port}/in`))).body.toString()).toBe('made');
      expect(tunnels).toEqual([`${NAME}:${tlsPort}`, `other.test:${tlsPort}`, `http://${NAME}:${port}/in`]);
    });

    it('leaves names to the proxy that only the proxy can resolve', async () => {
      expect((await http().send(get(`http://nowhere.test:${port}/in`))).body.toString()).toBe('made');
      expect(tunnels).toEqual([`http://nowhere.test:${port}/in`]);
    });

    it('is not used for hosts of NO_PROXY', async () => {
      expect((await http().send(get(`http://direct.test:${port}/in`))).status).toBe(201);
      expect(tunnels).toEqual([]);
    });

    it('does not reach refused addresses', async () => {
      expect(await codeOf(http(undefined, []).send(get('http://169.254.169.254/')))).toBe('address_refused');
      expect(await codeOf(http(undefined, []).send(get(`https://${NAME}/`)))).toBe('address_refused');
      expect(tunnels).toEqual([]);
    });
  });

  it.each([
    ['a user and a password', 'http://u:s3cret@example.test/'],
    ['another scheme', 'file:///etc/passwd'],
    ['an invalid URL', 's3cret'],
    ['another spelling of a private address', 'http://0x7f.1:1/'],
    ['the unspecified address', 'http://0.0.0.0:1/'],
    ['a cloud metadata service', 'http://169.254.169.254/latest/meta-data'],
    ['a metadata service as IPv4-mapped address', 'http://[::ffff:169.254.169.254]/'],
  ])('is refused for %s', async (_, url) => {
    expect(await codeOf(http(undefined, []).send(get(url)))).toMatch(/^(bad_url|address_refused)$/);
  });
});
