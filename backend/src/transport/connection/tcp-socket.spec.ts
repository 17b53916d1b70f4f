import net, { type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { SshError } from '../ssh-errors.js';
import { scanHostKey } from './host-key-scan.js';
import { openAdmittedSocket } from './tcp-socket.js';

let server: net.Server;
let port: number;
let connected = 0;
beforeAll(async () => {
  server = net.createServer((socket) => {
    connected += 1;
    socket.on('error', () => undefined).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

const open = (host: string, ...refused: string[]) =>
  openAdmittedSocket({ host, port }, { timeoutMs: 5_000, refused: new RefusedAddresses(refused) }).then(
    ({ socket, reached }) => {
      socket.destroy();
      return reached.address;
    },
    (error: SshError) => error.code,
  );

describe('a socket', () => {
  it('is not opened to a refused address, in any notation or by name', async () => {
    connected = 0;
    for (const host of ['127.0.0.1', '::ffff:127.0.0.1', '::ffff:7f00:1', 'localhost', 'LOCALHOST']) {
      expect([host, await open(host, '127.0.0.0/8', '::1')]).toEqual([host, 'address_refused']);
    }
    expect(connected).toBe(0);
  });

  it('is opened to another address of a name that also has a refused address', async () => {
    expect(await open('localhost', '::1')).toBe('127.0.0.1');
    expect(await open('127.0.0.1')).toBe('127.0.0.1');
  });

  it('is never opened to a metadata service by default', async () => {
    const refused = await scanHostKey('169.254.169.254', 22).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(SshError);
    expect(refused).toMatchObject({
      code: 'address_refused',
      message:
        'Runward does not connect to 169.254.169.254:22: this is an address that this installation refuses (RUNWARD_REFUSED_ADDRESSES). Register the server under another address, or ask the operator of this installation to allow this one.',
    });
    const named = await openAdmittedSocket(
      { host: 'localhost', port },
      { timeoutMs: 5_000, refused: new RefusedAddresses(['0.0.0.0/0', '::/0']) },
    ).catch((error: unknown) => error);
    expect(named).toMatchObject({
      message: expect.stringMatching(/: its name resolves to (127\.0\.0\.1|::1), an address/),
    });
  });
});
