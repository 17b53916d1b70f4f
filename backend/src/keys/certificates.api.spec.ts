import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { type CertificateFields, type SshAuthority, sshAuthority } from '../../test/support/ssh-authority.js';
import { type SshHosts, startSshHosts } from '../../test/support/ssh-hosts.js';

interface Key {
  id: string;
  publicKey: string;
  certificate: Record<string, unknown> | null;
  version: number;
  errors?: { path: string; code: string }[];
}
interface Checked {
  lastCheck: { state: string; reason: { text: string } };
}

const AUTHORITIES = {
  ed25519: sshAuthority('ed25519'),
  ecdsa: sshAuthority('ecdsa'),
  rsa: sshAuthority('rsa'),
} satisfies Record<string, SshAuthority>;

let dir: string;
let runward: Installation;
let admin: TestMember;
let hosts: SshHosts;
let numbered = 0;

beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'runward-ca-'));
  await chmod(dir, 0o755);
  const trusted = path.join(dir, 'trusted');
  const lines = Object.values(AUTHORITIES).map(({ publicKey }) => `${publicKey}\n`);
  await writeFile(trusted, lines.join(''));
  [runward, hosts] = await Promise.all([
    startInstallation(),
    startSshHosts({ extraConfig: `TrustedUserCAKeys ${trusted}` }),
  ]);
  admin = await runward.tenant();
});
afterAll(async () => {
  await hosts.stop();
  await runward.close();
  await rm(dir, { recursive: true, force: true });
});

const generate = async (type: string, bits?: number) => {
  numbered += 1;
  const answer = await admin.api.post<Key>('/api/ssh-keys', { name: `key-${numbered}`, generate: { type, bits } });
  expect(answer.status).toBe(201);
  return answer.body;
};

const sign = ({ publicKey }: Pick<Key, 'publicKey'>, ca: keyof typeof AUTHORITIES, fields?: CertificateFields) =>
  AUTHORITIES[ca].certify(publicKey, fields ?? { principals: [hosts.sshd.user] });

const put = ({ id }: Key, certificate: string, headers = {}) =>
  admin.api.put<Key>(`/api/ssh-keys/${id}/certificate`, { certificate }, headers);

async function check(sshKeyId: string) {
  numbered += 1;
  const { hostKey, port, user: username } = hosts.sshd;
  const environment = await admin.api.post<Key>('/api/environments', { name: `environment-${numbered}` });
  const { body } = await admin.api.post<Key>('/api/inventory/servers', {
    ...{ name: `server-${numbered}`, hostname: '127.0.0.1', port, username, sshKeyId },
    environmentId: environment.body.id,
    hostKey: { publicKey: `${hostKey.type} ${hostKey.publicKey}` },
  });
  return (await admin.api.post<Checked>(`/api/inventory/servers/${body.id}/check`)).body.lastCheck;
}

describe('a key with a certificate', () => {
  it.each([
    ['ed25519', undefined, 'ed25519'],
    ['ecdsa', 256, 'ecdsa'],
    ['ecdsa', 384, 'ed25519'],
    ['ecdsa', 521, 'rsa'],
    ['rsa', 3072, 'rsa'],
  ] as const)(
    'of type %s (%s) signs in with it only on a host that trusts its authority (%s)',
    async (type, bits, ca) => {
      const key = await generate(type, bits);
      expect((await check(key.id)).state).toBe('login_refused');
      const answer = await put(key, sign(key, ca));
      expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 200, errors: undefined });
      expect(answer.body.certificate).toMatchObject({
        ...{ keyId: 'of a test', serial: '4711', principals: [hosts.sshd.user], state: 'valid', validUntil: null },
        caFingerprint: expect.stringMatching(/^SHA256:/),
      });
      const found = await check(key.id);
      expect(found).toMatchObject({ state: 'reachable' });
      expect(found.reason.text).not.toContain('plain key');
      expect((await admin.api.delete(`/api/ssh-keys/${key.id}/certificate`)).status).toBe(204);
      expect((await admin.api.delete(`/api/ssh-keys/${key.id}/certificate`)).status).toBe(404);
      expect((await check(key.id)).state).toBe('login_refused');
    },
  );

  it('is tried without it if the host refuses it, and the check reports that', async () => {
    const key = await generate('ed25519');
    await hosts.sshd.addAuthorizedKey(key.publicKey);
    expect((await put(key, sign(key, 'ed25519', { principals: ['nobody-has-this'] }))).status).toBe(200);
    const found = await check(key.id);
    expect(found).toMatchObject({ state: 'reachable' });
    expect(found.reason.text).toContain(
      'Runward signed in with the plain key, because the host refused the certificate.',
    );
  });

  it('is tried without it if it has expired or is not valid yet, and the check says why', async () => {
    const key = await generate('ed25519');
    const expired = await put(
      key,
      sign(key, 'ed25519', { validFrom: new Date('2020-01-01'), validUntil: new Date('2020-02-01') }),
    );
    expect(expired.body.certificate).toMatchObject({
      ...{ state: 'expired', principals: [], validFrom: '2020-01-01T00:00:00.000Z' },
      reason: {
        code: 'certificate_expired',
        text: expect.stringContaining('Expired at 2020-02-01T00:00:00.000Z'),
      },
    });
    const refused = await check(key.id);
    expect(refused).toMatchObject({
      state: 'login_refused',
      reason: { text: expect.stringContaining('the certificate expired') },
    });
    await hosts.sshd.addAuthorizedKey(key.publicKey);
    expect((await check(key.id)).reason.text).toContain('the certificate expired at 2020-02-01T00:00:00.000Z');
    const early = await put(
      key,
      sign(key, 'ed25519', { validFrom: new Date('2099-01-01'), validUntil: new Date('2099-02-01') }),
    );
    expect(early.body.certificate).toMatchObject({ state: 'not_yet_valid' });
    expect((await check(key.id)).reason.text).toContain('only valid from 2099-01-01T00:00:00.000Z');
  });
});

describe('a new certificate', () => {
  it('is refused with a specific code if it is for hosts, of another key, damaged, or not a certificate', async () => {
    const key = await generate('ed25519');
    const good = sign(key, 'ed25519');
    const [type = '', base64 = ''] = good.split(' ');
    const bytes = Buffer.from(base64, 'base64');
    const flipped = Buffer.from(bytes);
    flipped[bytes.length - 5] = (flipped[bytes.length - 5] ?? 0) ^ 1;
    const cases: [string, string][] = [
      [sign(key, 'ed25519', { host: true }), 'host_certificate'],
      [sign(await generate('ed25519'), 'ed25519'), 'certificate_of_other_key'],
      [`${type} ${flipped.toString('base64')}`, 'damaged_certificate'],
      [`${type} ${bytes.subarray(0, 200).toString('base64')}`, 'damaged_certificate'],
      [`ssh-rsa-cert-v01@openssh.com ${base64}`, 'damaged_certificate'],
      [`sk-ssh-ed25519-cert-v01@openssh.com ${base64}`, 'unsupported_certificate'],
      [key.publicKey, 'not_a_certificate'],
    ];
    for (const [text, code] of cases) {
      const answer = await put(key, text);
      expect([answer.status, answer.body.errors]).toMatchObject([400, [{ path: '/certificate', code }]]);
    }
    expect((await put(key, good, { 'if-match': '"99"' })).status).toBe(412);
    expect((await admin.api.get<Key>(`/api/ssh-keys/${key.id}`)).body.certificate).toBeNull();
  });
});
