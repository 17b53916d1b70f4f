import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type SshAuthority, sshAuthority } from '../../../test/support/ssh-authority.js';
import { type SshHosts, startSshHosts } from '../../../test/support/ssh-hosts.js';
import { parseHostKey } from '../keys/host-key.js';
import { generateKeyPair } from '../keys/key-material.js';
import { SshError } from '../ssh-errors.js';
import { openConnection, type SshConnection, type SshTarget } from './ssh-connection.js';

const FOREIGN_HOST_KEY = parseHostKey(
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDEy',
);
const DAY = 86_400_000;

let folder: string;
let authority: SshAuthority;
const running: SshHosts[] = [];
const cleanUp: (() => void)[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-host-certificate-'));
  authority = sshAuthority('ed25519');
});
afterAll(async () => {
  await Promise.all(running.map((hosts) => hosts.stop()));
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => cleanUp.splice(0).forEach((undo) => undo()));

async function host(number: number, type: 'ed25519' | 'ecdsa', fields: object, signer = authority) {
  const address = `127.0.7.${number}`;
  const key = await generateKeyPair({ type });
  const file = path.join(folder, `key-${number}`);
  await writeFile(file, key.privateKey, { mode: 0o600 });
  const certificate = signer.certify(key.publicKey, { host: true, principals: [address], ...fields });
  await writeFile(`${file}-cert.pub`, `${certificate}\n`);
  const hosts = await startSshHosts({
    addresses: [address],
    hostKeyType: 'rsa',
    extraConfig: `HostKey ${file}\nHostCertificate ${file}-cert.pub`,
  });
  running.push(hosts);
  return { hosts, key: parseHostKey(key.publicKey) };
}

async function connect(hosts: SshHosts, changes: Partial<SshTarget>, admitKey?: () => Promise<void>) {
  const connection = await openConnection(hosts.target({ hostKeys: [], ...changes }), { admitKey });
  cleanUp.push(() => connection.end());
  return connection;
}
async function failureOf(attempt: Promise<SshConnection>): Promise<SshError> {
  const error = await attempt.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(SshError);
  return error as SshError;
}
const trusting = (...trusted: SshAuthority[]) => ({ authorities: trusted.map((each) => parseHostKey(each.publicKey)) });

describe('a host whose key is certified by an authority', () => {
  it.each([
    [1, 'ed25519', 'ed25519'],
    [2, 'ecdsa', 'ecdsa'],
    [3, 'ed25519', 'rsa'],
  ] as const)(
    'is accepted by its certificate, without a pinned key (%s, %s signed by %s)',
    async (number, type, signer) => {
      const own = sshAuthority(signer);
      const { hosts, key } = await host(number, type, { validUntil: new Date(Date.now() + DAY) }, own);
      const connection = await connect(hosts, trusting(sshAuthority('ed25519'), own));
      expect(connection.hostKey).toEqual(key);
      // A pinned key that the host no longer uses does not prevent the login.
      expect((await connect(hosts, { hostKeys: [FOREIGN_HOST_KEY], ...trusting(own) })).hostKey).toEqual(key);
    },
  );

  it('is accepted by its pinned key, whatever its certificate says', async () => {
    const { hosts } = await host(4, 'ed25519', { validUntil: new Date(Date.now() - DAY) });
    const connection = await connect(hosts, { hostKeys: [hosts.sshd.hostKey], ...trusting(authority) });
    expect(connection.hostKey).toEqual(hosts.sshd.hostKey);
  });

  it('is not signed in to when `admitKey` refuses the key', async () => {
    const { hosts } = await host(5, 'ed25519', {});
    const refusal = new SshError('protected_host', 'not here');
    expect(await failureOf(connect(hosts, trusting(authority), () => Promise.reject(refusal)))).toBe(refusal);
  });
});

describe('a host certificate', () => {
  it.each([
    [11, 'of another authority', {}, sshAuthority('ed25519'), /it is signed by SHA256:/],
    [12, 'that has expired', { validUntil: new Date(Date.now() - DAY) }, null, /it expired at /],
    [13, 'that is not valid yet', { validFrom: new Date(Date.now() + DAY) }, null, /it is only valid from .*/],
    [14, 'for another name', { principals: ['web-1.example.com'] }, null, /it is for web-1.example.com, not for 127/],
    [15, 'for no name', { principals: [] }, null, /it is for no name/],
  ] as const)('%s: %s is refused with the reason', async (number, _, fields, signer, why) => {
    const { hosts, key } = await host(number, 'ed25519', fields, signer ?? authority);
    const error = await failureOf(connect(hosts, trusting(authority)));
    expect(error).toMatchObject({ code: 'host_key_changed', message: expect.stringMatching(why), seen: key });
    expect(error.message).toContain(authority.fingerprint);
  });

  it('is named in the error if the host does not show one', async () => {
    const hosts = await startSshHosts({ addresses: ['127.0.7.20'] });
    running.push(hosts);
    expect(await failureOf(connect(hosts, trusting(authority)))).toMatchObject({
      code: 'host_key_type_missing',
      message: expect.stringContaining('shows no host certificate'),
    });
  });
});
