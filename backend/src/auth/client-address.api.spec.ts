import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../../test/support/installation.js';
import { queryAs } from '../../test/support/table-contents.js';

const SOURCES = join(import.meta.dirname, '..');
const READER = 'common/network/client-address.ts';

interface Place {
  runward: Installation;
  admin: TestMember;
}

const LIMIT = 10;
const settings = { RUNWARD_RATE_LIMIT_PER_MINUTE: '1000' };
let proxiedPlace: Place;
let directPlace: Place;

beforeAll(async () => {
  const start = async (more: NodeJS.ProcessEnv): Promise<Place> => {
    const runward = await startInstallation({ ...settings, ...more });
    return { runward, admin: await runward.tenant('acme') };
  };
  proxiedPlace = await start({ RUNWARD_TRUSTED_PROXIES: 'loopback' });
  directPlace = await start({});
});
afterAll(() => Promise.all([proxiedPlace.runward.close(), directPlace.runward.close()]));

const signIn = ({ runward, admin }: Place, forwardedHeader: string, password = PASSWORD, email = admin.email) =>
  runward.anonymous.post('/api/auth/login', { email, password }, { 'x-forwarded-for': forwardedHeader });

/** Returns the client addresses in the latest session, token use and audit entry. */
async function addressesOf({ runward, admin }: Place): Promise<string[]> {
  const sql = `select
    (select address from sessions order by id desc limit 1) as session,
    (select last_used_address from api_tokens order by last_used_at desc nulls last limit 1) as token,
    (select address from audit_entries order by id desc limit 1) as audit`;
  const [row] = await queryAs<Record<string, string>>(runward.database, admin.tenantId, sql);
  return Object.values(row ?? {});
}

async function signInAndReadAddresses(place: Place, forwardedHeader: string): Promise<string[]> {
  const { admin } = place;
  expect((await signIn(place, forwardedHeader)).status).toBe(200);
  const made = await admin.api.post<{ token: string }>(
    '/api/tokens',
    { name: forwardedHeader },
    { 'x-forwarded-for': forwardedHeader },
  );
  const headers = { authorization: `Bearer ${made.body.token}`, 'x-forwarded-for': forwardedHeader };
  expect((await place.runward.anonymous.get('/api/auth/me', headers)).status).toBe(200);
  return addressesOf(place);
}

describe('the address of a caller', () => {
  it('comes from a trusted proxy in sessions, tokens and audit entries', async () => {
    expect(await signInAndReadAddresses(proxiedPlace, '6.6.6.6, 198.51.100.20')).toEqual(
      Array(3).fill('198.51.100.20'),
    );
  });

  it('comes from the connection without a trusted proxy, whatever the caller sends', async () => {
    expect(await signInAndReadAddresses(directPlace, '198.51.100.20')).toEqual(
      Array(3).fill(expect.stringMatching(/^(::ffff:)?127\.0\.0\.1$/)),
    );
  });

  it('separates the sign-in limits of clients behind a proxy', async () => {
    for (let n = 0; n < LIMIT; n += 1) await signIn(proxiedPlace, '198.51.100.66', 'wrong', `guess-${n}@example.test`);
    expect((await signIn(proxiedPlace, '198.51.100.66')).status).toBe(429);
    expect((await signIn(proxiedPlace, '203.0.113.4')).status).toBe(200);
  });

  it("cannot be forged to avoid the limit, neither left of the proxy's entry nor without a proxy", async () => {
    const statuses = { behind: [] as number[], alone: [] as number[] };
    for (let n = 0; n < LIMIT + 3; n += 1) {
      statuses.behind.push(
        (await signIn(proxiedPlace, `10.${n}.0.1, 198.51.100.77`, 'wrong', `a${n}@example.test`)).status,
      );
      statuses.alone.push((await signIn(directPlace, `10.${n}.0.1`, 'wrong', `a${n}@example.test`)).status);
    }
    expect(statuses.behind.slice(-3)).toEqual([429, 429, 429]);
    expect(statuses.alone.slice(-3)).toEqual([429, 429, 429]);
  });
});

describe('the source code', () => {
  it('reads the address of a caller in one file', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
      (name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && name !== READER,
    );
    expect(files.length).toBeGreaterThan(100);
    const own = /['"]x-forwarded-for|request\.(ips|socket\.remoteAddress)\b|['"]trust proxy/i;
    expect(files.filter((name) => own.test(readFileSync(join(SOURCES, name), 'utf8')))).toEqual([]);
  });
});
