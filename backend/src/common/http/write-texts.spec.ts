import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { STALL_TIMEOUT_MS, writeTexts } from './write-texts.js';

const TEXT = Buffer.alloc(16 * 1024, 'x');
const MANY = 4_000;

let server: Server;
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});

/**
 * Starts a server that writes texts to its client. Records how many texts were requested and whether the source was
 * closed.
 */
async function serve(texts: number, stalledMs: number) {
  const progress = { asked: 0, ended: false };
  let tell: () => void;
  const written = new Promise<void>((resolve) => (tell = resolve));
  const source = async function* () {
    try {
      while (progress.asked < texts) {
        progress.asked += 1;
        yield TEXT;
      }
    } finally {
      progress.ended = true;
    }
  };
  server = createServer((_, response) => void writeTexts(response as Response, source(), stalledMs).then(() => tell()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { told: progress, written, port: (server.address() as AddressInfo).port };
}

function idleReader(port: number): Socket {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  sockets.push(socket);
  socket.pause();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  return socket;
}

describe('writing a download', () => {
  it('sends everything to a reader that reads', async () => {
    const { written, port } = await serve(300, STALL_TIMEOUT_MS);
    const answer = await fetch(`http://127.0.0.1:${port}`);
    expect((await answer.arrayBuffer()).byteLength).toBe(300 * TEXT.length);
    await written;
  });

  it('disconnects a stalled reader, and does not produce more texts than fit the buffers', async () => {
    const { told: progress, written, port } = await serve(MANY, 300);
    const socket = idleReader(port);
    await written;
    expect(progress.ended).toBe(true);
    expect(progress.asked).toBeLessThan(MANY / 2);
    let text = '';
    socket.setEncoding('latin1').on('data', (more: string) => (text = (text + more).slice(-5)));
    socket.resume();
    await once(socket, 'close');
    // Without the end of the chunked response, clients detect the truncation.
    expect(text).not.toBe('0\r\n\r\n');
  });

  it('ends when the reader disconnects before the end', async () => {
    const { told: progress, written, port } = await serve(Infinity, STALL_TIMEOUT_MS);
    const socket = idleReader(port);
    await once(socket, 'connect');
    socket.once('readable', () => socket.destroy());
    await written;
    expect(progress.ended).toBe(true);
  });

  it('ends when the reader disconnects while no text is found', async () => {
    let ended = false;
    const nothing = async function* () {
      try {
        for (;;) {
          await new Promise((resolve) => setImmediate(resolve));
          yield '';
        }
      } finally {
        ended = true;
      }
    };
    const done = new Promise<void>((resolve) => {
      server = createServer((_, response) => void writeTexts(response as Response, nothing()).then(resolve));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const stop = new AbortController();
    // The response head arrives even before the first text.
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { signal: stop.signal });
    expect(answer.status).toBe(200);
    stop.abort();
    await done;
    expect(ended).toBe(true);
  });
});
