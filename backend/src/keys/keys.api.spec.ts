import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation, type TestMember } from '../../test/support/installation.js';
import { made as makes } from '../../test/support/environment-scene.js';
import { importPrivateKey } from '../../test/support/import-key.js';
import { operations } from '../../test/support/openapi.js';
import { sshAuthority } from '../../test/support/ssh-authority.js';
import { queryAs, tableNames } from '../../test/support/table-contents.js';
import { generateKeyPair } from '../transport/keys/key-material.js';

interface Key {
  id: string;
  name: string;
  type: string;
  publicKey: string;
  fingerprint: string;
  privateKey?: string;
  usedBy: { id: string; name: string }[];
  usedByCount: number;
  version: number;
  code?: string;
  errors?: { path: string; code: string; message: string }[];
  referrers?: { type: string; id: string; name: string }[];
}

const PASSPHRASE = 'open sesame, please';

const PROTECTED = `-----BEGIN OPENSSH PRIVATE KEY-----
b3BlbnNzaC1rZXktdjEAAAAACmFlczI1Ni1jdHIAAAAGYmNyeXB0AAAAGAAAABAH8hWfVj
GXH4rjLL0vgkRsAAAAEAAAAAEAAAAzAAAAC3NzaC1lZDI1NTE5AAAAIMt05s1X/nS6FnZ4
+SzK+paRsR0ZujE40NFbUBm3gT+KAAAAoNrO4OFH722VO2zjyKp6mSgpBy1It34gZLRTRt
Y/BMaEim/QRg5alczCgOCoouXOsc7b0qUyxcb6NZQjoXQmcVg4V4KFcjIBzGuD6V4mHegQ
KSxgeHnPAk3/4az2lPg0b4bI8j81taPJo3fm3DhykhB4PoWw6R+h7zWBYQeY2zv9TnkPC1
LoSAjFiST8N1MDviIk64DwxVHvwCtLRo5NpUE=
-----END OPENSSH PRIVATE KEY-----
`;
const PROTECTED_PUBLIC =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMt05s1X/nS6FnZ4+SzK+paRsR0ZujE40NFbUBm3gT+K someone@laptop';

let runward: Installation;
let admin: TestMember;
let numbered = 0;

beforeAll(async () => {
  runward = await startInstallation();
  admin = await runward.tenant('acme');
});
afterAll(() => runward.close());

const post = (fields: object) => {
  numbered += 1;
  return admin.api.post<Key>('/api/ssh-keys', { name: `key-${numbered}`, ...fields });
};

async function create(fields: object): Promise<Key> {
  const answer = await post(fields);
  expect({ status: answer.status, errors: answer.body.errors }).toEqual({ status: 201, errors: undefined });
  return answer.body;
}

async function faultOf(fields: object) {
  const { status, body } = await post(fields);
  return { status, path: body.errors?.[0]?.path, code: body.errors?.[0]?.code };
}

async function everything(): Promise<string> {
  const rows: string[] = [];
  for (const table of await tableNames(runward.database)) {
    const found = await queryAs<{ row: string }>(
      runward.database,
      admin.tenantId,
      `select t::text as row from ${table} t`,
    );
    rows.push(...found.map(({ row }) => row));
  }
  return rows.join('\n');
}

const openSsh = async () => (await generateKeyPair({ type: 'ed25519', comment: 'someone@laptop' })).privateKey;

/**
 * Creates an RSA or ECDSA key in PEM as OpenSSL does. With a passphrase, `type` selects the older or the newer format.
 */
function pem(kind: 'rsa' | 'ec', type: 'pkcs1' | 'sec1' | 'pkcs8', passphrase?: string): string {
  const { privateKey } =
    kind === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const protection = passphrase === undefined ? {} : { cipher: 'aes-256-cbc', passphrase };
  return privateKey.export({ format: 'pem', type, ...protection }) as string;
}

describe('key generation', () => {
  it.each([
    ['ed25519', {}, 'ssh-ed25519'],
    ['ecdsa', {}, 'ecdsa-sha2-nistp256'],
    ['ecdsa', { bits: 521 }, 'ecdsa-sha2-nistp521'],
    ['rsa', { bits: 3072 }, 'ssh-rsa'],
  ])('of type %s %j returns a matching key pair', async (type, more, line) => {
    const key = await create({ generate: { type, ...more } });
    expect(key.type).toBe(type);
    expect(key.publicKey).toMatch(new RegExp(`^${line} AAAA\\S+ runward key-\\d+$`));
    expect(key.privateKey).toMatch(/^-----BEGIN OPENSSH PRIVATE KEY-----\n/);
    const read = await importPrivateKey(key.privateKey ?? '');
    expect([read.fingerprint, read.publicKey]).toEqual([key.fingerprint, key.publicKey]);
  });

  it('refuses sizes that the type does not support', async () => {
    const wrong = { path: '/generate/bits', code: 'not_allowed_value', status: 400 };
    expect(await faultOf({ generate: { type: 'ed25519', bits: 256 } })).toEqual(wrong);
    expect(await faultOf({ generate: { type: 'rsa', bits: 1024 } })).toEqual(wrong);
    expect(await faultOf({ generate: { type: 'ecdsa', bits: 3072 } })).toEqual(wrong);
    expect(await faultOf({ generate: { type: 'dsa' } })).toEqual({
      status: 400,
      path: '/generate/type',
      code: 'not_allowed_value',
    });
  });

  it('excludes an import: exactly one of both is required', async () => {
    const privateKey = await openSsh();
    const wrong = { status: 400, path: '', code: 'generate_or_import' };
    expect(await faultOf({})).toEqual(wrong);
    expect(await faultOf({ generate: { type: 'ed25519' }, privateKey })).toEqual(wrong);
    const lost = await faultOf({ generate: { type: 'ed25519' }, passphrase: 'x' });
    expect(lost).toEqual({ status: 400, path: '/passphrase', code: 'not_applicable' });
  });
});

describe('a private key', () => {
  it('is returned once, in the response to its generation', async () => {
    const { privateKey = '', ...publicFields } = await create({ generate: { type: 'ed25519' } });
    const one = await admin.api.get<Key>(`/api/ssh-keys/${publicFields.id}`);
    expect(one.body).toEqual(publicFields);
    const renamed = await admin.api.patch(`/api/ssh-keys/${publicFields.id}`, { name: 'renamed once' });
    const all = await admin.api.get('/api/ssh-keys?limit=200');
    for (const text of [one.text, renamed.text, all.text]) {
      expect(text).not.toContain('PRIVATE KEY');
      expect(text).not.toContain(privateKey.split('\n')[2] ?? '');
    }
  });

  it('is sealed in the database, and neither it nor a passphrase is stored elsewhere', async () => {
    const generated = (await create({ generate: { type: 'ed25519' } })).privateKey ?? '';
    const { id } = await create({ privateKey: PROTECTED, passphrase: PASSPHRASE });
    const opened = (await importPrivateKey(PROTECTED, PASSPHRASE)).privateKey;
    const rows = await everything();
    expect(rows).toContain(id);
    for (const secret of [generated, PROTECTED, opened]) {
      const line = secret.split('\n')[2] ?? '';
      expect(line.length).toBeGreaterThan(40);
      for (const secretForm of [
        line,
        Buffer.from(line).toString('hex'),
        Buffer.from(line, 'base64').toString('hex').slice(0, 60),
      ]) {
        expect(rows.includes(secretForm)).toBe(false);
      }
    }
    expect(rows.includes('PRIVATE KEY')).toBe(false);
    expect(rows.includes(PASSPHRASE)).toBe(false);
    expect(rows.includes(Buffer.from(PASSPHRASE).toString('hex'))).toBe(false);
  });

  it('is not returned after an import', async () => {
    const answer = await post({ privateKey: await openSsh() });
    expect(answer.status).toBe(201);
    expect(answer.text).not.toContain('PRIVATE KEY');
    expect(answer.body.privateKey).toBeUndefined();
  });
});

describe('key import', () => {
  it('accepts a protected OpenSSH key with its passphrase', async () => {
    const key = await create({ privateKey: PROTECTED, passphrase: PASSPHRASE });
    expect(key).toMatchObject({ type: 'ed25519', publicKey: PROTECTED_PUBLIC });
  });

  it.each([
    ['RSA, PKCS#1', pem('rsa', 'pkcs1'), undefined, 'rsa'],
    ['RSA, PKCS#1, protected', pem('rsa', 'pkcs1', PASSPHRASE), PASSPHRASE, 'rsa'],
    ['ECDSA, SEC1', pem('ec', 'sec1'), undefined, 'ecdsa'],
    ['ECDSA, PKCS#8, protected', pem('ec', 'pkcs8', PASSPHRASE), PASSPHRASE, 'ecdsa'],
    ['ECDSA, with the line ends of another system', pem('ec', 'pkcs8').replaceAll('\n', '\r\n'), undefined, 'ecdsa'],
  ])('accepts PEM: %s', async (_, privateKey, passphrase, type) => {
    const { fingerprint } = await importPrivateKey(privateKey, passphrase);
    expect(await create({ privateKey, passphrase })).toMatchObject({ type, fingerprint });
  });

  it('reports why a text is not a usable private key', async () => {
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({
      type: 'pkcs1',
      format: 'pem',
    });
    const other = generateKeyPairSync('x25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    const faults: [object, string, string][] = [
      [{ privateKey: 'hello' }, '/privateKey', 'not_a_private_key'],
      [{ privateKey: PROTECTED.slice(0, 150) }, '/privateKey', 'not_a_private_key'],
      [{ privateKey: PROTECTED_PUBLIC }, '/privateKey', 'public_key_given'],
      [{ privateKey: PROTECTED }, '/passphrase', 'passphrase_required'],
      [{ privateKey: PROTECTED, passphrase: '' }, '/passphrase', 'passphrase_required'],
      [{ privateKey: PROTECTED, passphrase: 'wrong' }, '/passphrase', 'wrong_passphrase'],
      [{ privateKey: weak }, '/privateKey', 'unsupported_key'],
      [{ privateKey: other }, '/privateKey', 'unsupported_key'],
    ];
    for (const [fields, path, code] of faults) expect(await faultOf(fields)).toEqual({ status: 400, path, code });
  });

  it('never repeats a refused key', async () => {
    const answer = await post({ privateKey: PROTECTED, passphrase: 'a guess of mine' });
    expect(answer.status).toBe(400);
    expect(answer.text).not.toContain('a guess of mine');
    expect(answer.text).not.toContain(PROTECTED.split('\n')[1]);
  });
});

describe('a key of servers', () => {
  it('names them, cannot be deleted while they use it, and can be deleted afterwards', async () => {
    const key = await create({ generate: { type: 'ed25519' } });
    const other = await create({ generate: { type: 'ed25519' } });
    const environment = await admin.api.post<{ id: string }>('/api/environments', { name: 'production' });
    const servers: { id: string; name: string }[] = [];
    for (const name of ['web-1', 'web-2']) {
      const fields = {
        name,
        hostname: `${name}.invalid`,
        username: 'a',
        sshKeyId: key.id,
        environmentId: environment.body.id,
      };
      const { body } = await admin.api.post<{ id: string }>('/api/inventory/servers', fields);
      servers.push({ id: body.id, name });
    }
    const used = await admin.api.get<Key>(`/api/ssh-keys/${key.id}`);
    expect(used.body).toMatchObject({ usedBy: servers, usedByCount: 2 });
    const refused = await admin.api.delete<Key>(`/api/ssh-keys/${key.id}`);
    expect([refused.status, refused.body.code]).toEqual([409, 'in_use']);
    expect(refused.body.referrers).toEqual(servers.map((server) => ({ type: 'server', ...server })));
    for (const { id } of servers) await admin.api.patch(`/api/inventory/servers/${id}`, { sshKeyId: other.id });
    expect((await admin.api.delete(`/api/ssh-keys/${key.id}`)).status).toBe(204);
    expect((await admin.api.get(`/api/ssh-keys/${key.id}`)).status).toBe(404);
    expect((await admin.api.get<Key>(`/api/ssh-keys/${other.id}`)).body.usedByCount).toBe(2);
  });

  it('can be changed, by every route, only by members who may run in every environment that it serves', async () => {
    const { publicKey, ...key } = await create({ generate: { type: 'ed25519' } });
    const certificate = sshAuthority('ed25519').certify(publicKey ?? '', { principals: ['a'] });
    const BODIES: Record<string, object | undefined> = {
      updateSshKey: { name: 'renamed' },
      putSshKeyCertificate: { certificate },
      deleteSshKeyCertificate: undefined,
      rotateSshKey: { generate: { type: 'ed25519' } },
      deleteSshKey: undefined,
    };
    const routes = operations.filter(({ path, method }) => path.startsWith('/api/ssh-keys/{id}') && method !== 'GET');
    expect(routes.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(BODIES).sort());

    const operator = await runward.member(admin, 'operator');
    const made = (path: string, body: object) => makes(admin.api.post(path, body));
    const closed = await made('/api/environments', { name: 'closed', access: 'restricted' });
    const opened = await made('/api/environments', { name: 'opened' });
    const login = { username: 'a', sshKeyId: key.id };
    await made('/api/inventory/servers', { name: 'inside', hostname: 'i.invalid', environmentId: closed, ...login });
    await made('/api/inventory/servers', { name: 'outside', hostname: 'o.invalid', environmentId: opened, ...login });
    const ask = async (operationId: string) => {
      const { path, method } = routes.find((each) => each.operationId === operationId) ?? { path: '', method: 'GET' };
      const body = BODIES[operationId] && JSON.stringify(BODIES[operationId]);
      return operator.api.raw<Key>(method, path.replace('{id}', key.id), body, { 'content-type': 'application/json' });
    };
    for (const operationId of Object.keys(BODIES)) {
      const { status, body, text } = await ask(operationId);
      expect([operationId, status, body.code]).toEqual([operationId, 403, 'grant_required']);
      expect(text).not.toContain('inside');
      expect(body).toMatchObject({ referrers: [], hiddenReferrers: 1 });
    }
    await admin.api.put(`/api/environments/${closed}/grants/${operator.userId}`, { level: 'run' });
    const answers: Record<string, number> = {};
    for (const operationId of Object.keys(BODIES)) answers[operationId] = (await ask(operationId)).status;
    expect(answers).toEqual({
      ...{ updateSshKey: 200, putSshKeyCertificate: 200, deleteSshKeyCertificate: 204, rotateSshKey: 201 },
      deleteSshKey: 409,
    });
  });

  it('can be renamed with the version that was read', async () => {
    const key = await create({ generate: { type: 'ed25519' } });
    const path = `/api/ssh-keys/${key.id}`;
    expect((await admin.api.patch<Key>(path, { name: 'deploy' }, { 'if-match': '"1"' })).body).toMatchObject({
      name: 'deploy',
      version: 2,
    });
    expect((await admin.api.patch(path, { name: 'lost' }, { 'if-match': '"1"' })).status).toBe(412);
    expect((await admin.api.delete(path, { 'if-match': '"1"' })).status).toBe(412);
    expect((await post({ name: 'DEPLOY', generate: { type: 'ed25519' } })).status).toBe(409);
  });
});
