import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { selfSignedCertificate } from '../../../test/support/self-signed.js';
import { startSshHosts, type SshHosts } from '../../../test/support/ssh-hosts.js';
import { openConnection, type SshConnection } from './ssh-connection.js';

let hosts: SshHosts;
let connection: SshConnection;
beforeAll(async () => {
  hosts = await startSshHosts({ addresses: ['127.0.1.18'] });
  connection = await openConnection(hosts.target());
});
afterAll(async () => {
  connection.end();
  await hosts.stop();
});

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function listen(server: net.Server, port = 0, address = '127.0.0.1'): Promise<number> {
  const sockets = new Set<net.Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(port, address, resolve));
  cleanUp.push(() => {
    server.close();
    sockets.forEach((socket) => socket.destroy());
  });
  return (server.address() as net.AddressInfo).port;
}

async function serve(...statuses: number[]): Promise<{ url: string; requests: string[] }> {
  const asked: string[] = [];
  const server = http.createServer((request, response) => {
    const status = statuses[Math.min(asked.length, statuses.length - 1)] ?? 200;
    asked.push(`${request.method} ${request.headers.host} ${request.url}`);
    response.writeHead(status, status === 302 ? { location: '/elsewhere' } : {}).end('x'.repeat(100_000));
  });
  const port = await listen(server);
  return { url: `http://127.0.0.1:${port}`, requests: asked };
}

async function freePort(): Promise<number> {
  const port = await listen(net.createServer());
  await cleanUp.pop()?.();
  return port;
}

describe('waiting for a port', () => {
  it('ends when the host can connect to the port', async () => {
    const port = await listen(net.createServer());
    expect(await connection.probe({ port }, { timeoutMs: 10_000 })).toEqual({
      answered: true,
      at: `127.0.0.1:${port}`,
    });
  });

  it('finds the port at the registered address when nothing listens on loopback', async () => {
    const port = await listen(net.createServer(), 0, '127.0.1.18');
    expect(await connection.probe({ port }, { timeoutMs: 10_000 })).toEqual({
      answered: true,
      at: `127.0.1.18:${port}`,
    });
  });

  it('continues until something listens there', async () => {
    const port = await freePort();
    const probing = connection.probe({ port }, { timeoutMs: 30_000 });
    expect(await connection.probe({ port }, { timeoutMs: 300 })).toMatchObject({ answered: false });
    await listen(net.createServer(), port);
    expect(await probing).toEqual({ answered: true, at: `127.0.0.1:${port}` });
  });

  it('times out with the last reason', async () => {
    const port = await freePort();
    const message = expect.stringMatching(
      new RegExp(
        `^Port ${port} did not answer on 127\\.0\\.1\\.18:${port} or 127\\.0\\.0\\.1:${port} within 0\\.3 s \\(last: .*refused`,
      ),
    );
    expect(await connection.probe({ port }, { timeoutMs: 300 })).toEqual({ answered: false, message });
  });

  it('can be aborted', async () => {
    const port = await freePort();
    const abort = new AbortController();
    const probing = connection.probe({ port }, { timeoutMs: 30_000, signal: abort.signal });
    abort.abort();
    expect(await probing).toEqual({ answered: false, message: expect.stringContaining('wait was cancelled') });
  });

  it('fails at once for an invalid port', async () => {
    const message = expect.stringContaining('not a TCP port');
    expect(await connection.probe({ port: 70_000 }, { timeoutMs: 30_000 })).toEqual({ answered: false, message });
  });
});

describe('waiting for a URL', () => {
  it.each([200, 204, 302, 401, 404])('accepts status %i as an answer and follows no redirect', async (status) => {
    const { url, requests: asked } = await serve(status);
    expect(await connection.probe({ url: `${url}/health?deep=1` }, { timeoutMs: 10_000 })).toEqual({
      answered: true,
      at: null,
    });
    expect(asked).toEqual([`GET ${new URL(url).host} /health?deep=1`]);
  });

  it('continues while the service is not ready', async () => {
    const { url, requests: asked } = await serve(503, 500, 200);
    expect(await connection.probe({ url }, { timeoutMs: 30_000 })).toEqual({ answered: true, at: null });
    expect(asked).toHaveLength(3);
  });

  it('reports the last status after the timeout, without secrets of the URL', async () => {
    const { url } = await serve(503);
    const secretUrl = url.replace('http://', 'http://me:hunter2@') + '/ready?token=hunter3';
    const result = await connection.probe({ url: secretUrl }, { timeoutMs: 300 });
    expect(result).toEqual({ answered: false, message: expect.stringContaining('status 503') });
    expect(result).toEqual({ answered: false, message: expect.stringContaining(`${url}/ready did not`) });
    expect(result).toEqual({ answered: false, message: expect.not.stringMatching(/hunter/) });
  });

  it('times out for a service that accepts connections but does not answer', async () => {
    const port = await listen(net.createServer());
    const result = await connection.probe({ url: `http://127.0.0.1:${port}` }, { timeoutMs: 500 });
    expect(result).toMatchObject({ answered: false });
  });

  it.each(['ftp://127.0.0.1/', 'health', ''])('fails at once for an invalid URL: %j', async (url) => {
    const message = expect.stringContaining('must begin with http://');
    expect(await connection.probe({ url }, { timeoutMs: 30_000 })).toEqual({ answered: false, message });
  });

  it('accepts only a trusted certificate for the right name', async () => {
    const { key, cert } = selfSignedCertificate('localhost');
    let requests = 0;
    const server = https.createServer({ key, cert }, (_request, response) => {
      requests += 1;
      response.end();
    });
    const port = await listen(server);
    const probe = (name: string, timeoutMs: number) =>
      connection.probe({ url: `https://${name}:${port}/` }, { timeoutMs });
    expect(await probe('localhost', 500)).toEqual({
      answered: false,
      message: expect.stringContaining('self-signed certificate'),
    });
    const before = tls.getCACertificates('default');
    cleanUp.push(() => tls.setDefaultCACertificates(before));
    tls.setDefaultCACertificates([...before, cert]);
    expect(await probe('127.0.0.1', 500)).toEqual({
      answered: false,
      message: expect.stringContaining('does not match'),
    });
    expect(requests).toBe(0);
    expect(await probe('localhost', 10_000)).toEqual({ answered: true, at: null });
    expect(requests).toBe(1);
  });
});

describe('waiting on a host', () => {
  it('distinguishes forbidden forwarding from a service that is down', async () => {
    const own = await startSshHosts({ addresses: ['127.0.1.19'], extraConfig: 'AllowTcpForwarding no' });
    cleanUp.push(() => own.stop());
    const other = await openConnection(own.target());
    cleanUp.push(() => other.end());
    const port = await listen(net.createServer());
    const message = expect.stringContaining('AllowTcpForwarding local');
    expect(await other.probe({ port }, { timeoutMs: 30_000 })).toEqual({ answered: false, message });
    const url = `http://127.0.0.1:${port}`;
    expect(await other.probe({ url }, { timeoutMs: 30_000 })).toEqual({ answered: false, message });
  });

  it('ends when the connection is lost', async () => {
    const own = await startSshHosts({ addresses: ['127.0.1.20'] });
    cleanUp.push(() => own.stop());
    const other = await openConnection(own.target());
    const probing = other.probe({ port: await freePort() }, { timeoutMs: 30_000 });
    own.sshd.kill();
    const message = expect.stringContaining('was lost');
    expect(await probing).toEqual({ answered: false, message });
    expect(await other.probe({ port: 1 }, { timeoutMs: 30_000 })).toEqual({ answered: false, message });
  });
});
