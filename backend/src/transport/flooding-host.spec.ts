import { afterEach, describe, expect, it } from '@jest/globals';
import { FLOOD_KINDS, type FloodingHost, startFloodingHost } from '../../../scripts/lib/flooding-host.mjs';
import { scanHostKey } from './connection/host-key-scan.js';
import { openConnection, type SshConnection } from './connection/ssh-connection.js';
import { hostKeyFromBlob } from './keys/host-key.js';
import { generateKeyPair } from './keys/key-material.js';
import { SshError } from './ssh-errors.js';

/** Maximum bytes that a flooding host can send: its budget, and kernel buffers on both sides. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Error codes of floods that violate the protocol before they exceed the budget. */
const OTHER_CODES: Readonly<Record<string, string>> = {
  'endless line': 'not_ssh',
  'login failures': 'login_refused',
};

const cleanUp: (() => unknown)[] = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo();
});

async function flooding(kind: string): Promise<FloodingHost> {
  const { privateKey } = await generateKeyPair({ type: 'ed25519', comment: 'flood' });
  const host = await startFloodingHost(kind, { privateKey });
  cleanUp.push(() => host.stop());
  return host;
}

async function connect({ port, publicKey }: FloodingHost): Promise<SshConnection> {
  const { privateKey } = await generateKeyPair({ type: 'ed25519', comment: 'test' });
  const hostKeys = [hostKeyFromBlob(publicKey)];
  return openConnection({ host: '127.0.0.1', port, username: 'x', privateKey, hostKeys, legacyAlgorithms: false });
}

async function faultOf(host: FloodingHost): Promise<SshError | null> {
  try {
    const connection = await connect(host);
    cleanUp.push(() => connection.end());
    await connection.exec({ script: 'true', onOutput: () => new Promise(() => undefined) });
    await connection.closed;
    return connection.fault;
  } catch (error) {
    if (!(error instanceof SshError)) throw error;
    return error;
  }
}

describe('a host that floods its connection', () => {
  it.each(FLOOD_KINDS)('is disconnected after bounded bytes and identified: %s', async (kind) => {
    const host = await flooding(kind);
    const fault = await faultOf(host);
    expect(fault?.code).toBe(OTHER_CODES[kind] ?? 'hostile_peer');
    await host.stop();
    cleanUp.pop();
    expect(host).toMatchObject({ connections: 1, exhausted: 0 });
    expect(host.sentBytes).toBeLessThan(MAX_BYTES);
  });

  it('is also identified by a scan of its host key', async () => {
    const host = await flooding('early ignore');
    await expect(scanHostKey('127.0.0.1', host.port)).rejects.toMatchObject({ code: 'hostile_peer' });
  });
});
