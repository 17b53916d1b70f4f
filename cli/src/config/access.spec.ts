import { chmod, mkdtemp, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type FakeService, fakeService, json, problem } from '../client/fake-service.ts';
import { runProgram } from '../run-program.ts';
import { fakeSurroundings } from '../terminal/fake-surroundings.ts';
import { getConfigPath, writeConfig } from './config-file.ts';
import { parseServiceUrl } from './service-url.ts';

const token = (letter: string) => `runward_${letter.repeat(12)}_${letter.repeat(43)}_${letter.repeat(6)}`;
const ME = { name: 'Ci', email: 'ci@x', role: 'operator', tenant: { name: 'acme' }, token: null };

let home: string;
let service: FakeService;
let valid: string[];
let exchanged: unknown[];
let exchanges = 0;
/** Number of next tokens that are already expired when used. */
let spoiltCount = 0;

beforeAll(async () => {
  home = await mkdtemp(path.join(os.tmpdir(), 'runward-config-'));
  service = await fakeService(({ path: where, headers, body, method }, response) => {
    if (where.startsWith('/idtoken')) {
      if (headers.authorization !== 'Bearer permit-of-the-job') return json(response, 403, {});
      return json(response, 200, { value: `id-token for ${new URL(where, 'http://x').searchParams.get('audience')}` });
    }
    if (where === '/api/auth/oidc-exchange') {
      exchanged.push({ method, body: JSON.parse(body) as unknown, authorization: headers.authorization });
      if (body.includes('expired'))
        return json(response, 401, problem(401, 'oidc_token_expired', 'The identity token has expired.'));
      const made = token(String((exchanges += 1) % 10));
      if (spoiltCount > 0) spoiltCount -= 1;
      else valid.push(made);
      return json(response, 200, { token: made, expiresAt: '2027-01-01T00:00:00.000Z' });
    }
    const given = headers.authorization?.replace('Bearer ', '') ?? '';
    if (!valid.includes(given)) return json(response, 401, problem(401, 'unauthorized'));
    return json(response, 200, { ...ME, given: given.slice(8, 9) });
  });
});
afterAll(async () => {
  await service.close();
  await rm(home, { recursive: true, force: true });
});

const whoami = async (env: Record<string, string>) => {
  const surroundings = fakeSurroundings({ env: { XDG_CONFIG_HOME: home, ...env } });
  const code = await runProgram(['whoami', '--json', '--retry-for', '0s'], surroundings);
  const [out, err] = [surroundings.out(), surroundings.err()];
  return {
    code,
    as: out ? (JSON.parse(out) as { given: string }).given : null,
    err,
    code_: err ? (JSON.parse(err) as { code: string }).code : null,
  };
};

describe('credentials', () => {
  it('come from the environment first; a stored token is only sent to its own address', async () => {
    valid = [token('e'), token('k')];
    exchanged = [];
    await writeConfig({ env: { XDG_CONFIG_HOME: home } }, { url: service.url, token: token('k') });
    expect(await whoami({})).toMatchObject({ code: 0, as: 'k' });
    expect(await whoami({ RUNWARD_TOKEN: `${token('e')}\n` })).toMatchObject({ code: 0, as: 'e' });
    expect(await whoami({ RUNWARD_URL: `${service.url}/` })).toMatchObject({ code: 0, as: 'k' });
    const before = service.received.length;
    expect(await whoami({ RUNWARD_URL: service.url.replace('127.0.0.1', 'localhost') })).toMatchObject({
      code: 2,
      code_: 'not_signed_in',
    });
    expect(service.received.length).toBe(before);
  });

  it('are stored in a file of mode 0600, which is refused when others can read it', async () => {
    const file = getConfigPath({ env: { XDG_CONFIG_HOME: home } });
    expect([(await stat(file)).mode & 0o777, (await stat(path.dirname(file))).mode & 0o777]).toEqual([0o600, 0o700]);
    for (const mode of [0o640, 0o604, 0o620, 0o644]) {
      await chmod(file, mode);
      expect(await whoami({})).toMatchObject({ code: 2, code_: 'config_unsafe' });
    }
    // A link to the file is refused too, because the permissions of the target count.
    const link = path.join(home, 'linked/runward/config.json');
    await writeConfig({ env: { XDG_CONFIG_HOME: path.join(home, 'linked') } }, { url: 'http://x', token: token('l') });
    await rm(link);
    await symlink(file, link);
    expect(await whoami({ XDG_CONFIG_HOME: path.join(home, 'linked') })).toMatchObject({ code_: 'config_unsafe' });
    await chmod(file, 0o600);
    expect(await whoami({})).toMatchObject({ code: 0 });
    await writeFile(file, 'nonsense');
    expect(await whoami({})).toMatchObject({ code: 2, code_: 'usage' });
    expect(await readFile(file, 'utf8')).toBe('nonsense');
  });

  it.each([
    ['https://runward.example.org', 'https://runward.example.org'],
    [' https://runward.example.org/api/ ', 'https://runward.example.org'],
    ['http://[::1]:8080/base//', 'http://[::1]:8080/base'],
    ['HTTPS://Runward.Example.org:443', 'https://runward.example.org'],
  ])('belong to an address, which %j means as %s', (typed, expectedUrl) => {
    expect(parseServiceUrl(typed, 'X')).toBe(expectedUrl);
  });
});

describe('signing in without a token', () => {
  it('exchanges the GitLab identity token once and keeps the result in memory', async () => {
    [valid, exchanged] = [[], []];
    const env = { RUNWARD_URL: service.url, RUNWARD_OIDC_TOKEN: 'id-token of the job\n', RUNWARD_TENANT: 'acme' };
    expect(await whoami(env)).toMatchObject({ code: 0, err: '' });
    expect(exchanged).toEqual([
      { method: 'POST', body: { token: 'id-token of the job', tenant: 'acme' }, authorization: undefined },
    ]);
  });

  it('requests an identity token with the audience from GitHub', async () => {
    [valid, exchanged] = [[], []];
    const env = {
      ...{ RUNWARD_URL: service.url, RUNWARD_OIDC_AUDIENCE: 'runward & co' },
      ...{
        ACTIONS_ID_TOKEN_REQUEST_URL: `${service.url}/idtoken?api-version=2`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'permit-of-the-job',
      },
    };
    expect(await whoami(env)).toMatchObject({ code: 0 });
    expect(exchanged).toMatchObject([{ body: { token: 'id-token for runward & co' } }]);
  });

  it('exchanges again when the token has expired, and reports a refused exchange', async () => {
    const github = {
      ...{ RUNWARD_URL: service.url, RUNWARD_OIDC_AUDIENCE: 'x' },
      ...{
        ACTIONS_ID_TOKEN_REQUEST_URL: `${service.url}/idtoken`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'permit-of-the-job',
      },
    };
    for (const env of [github, { RUNWARD_URL: service.url, RUNWARD_OIDC_TOKEN: 'id-token of the job' }]) {
      [valid, exchanged, spoiltCount] = [[], [], 1];
      expect(await whoami(env)).toMatchObject({ code: 0 });
      expect(exchanged).toHaveLength(2);
      spoiltCount = 2;
      expect(await whoami(env)).toMatchObject({ code: 2, code_: 'unauthorized' });
    }
  });

  it('reports what is missing or refused, without the tokens', async () => {
    [valid, exchanged] = [[], []];
    const url = { RUNWARD_URL: service.url };
    expect(await whoami({ ...url, RUNWARD_OIDC_AUDIENCE: 'x' })).toMatchObject({
      code: 2,
      err: expect.stringContaining('may not request an identity token from GitHub'),
    });
    const denied = {
      RUNWARD_OIDC_AUDIENCE: 'x',
      ACTIONS_ID_TOKEN_REQUEST_URL: `${service.url}/idtoken`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'another-permit',
    };
    expect(await whoami({ ...url, ...denied })).toMatchObject({ code: 2, code_: 'no_identity_token' });
    const expired = await whoami({ ...url, RUNWARD_OIDC_TOKEN: 'an-expired-identity-token' });
    expect(expired).toMatchObject({ code: 2, code_: 'oidc_token_expired' });
    expect(expired.err).not.toContain('an-expired');
  });
});
