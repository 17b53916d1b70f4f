import { createHmac, createPublicKey } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { base64url, type JWTPayload } from 'jose';
import { apiClient } from '../../../test/support/api-client.js';
import { makeScene } from '../../../test/support/environment-scene.js';
import { type Installation, startInstallation, type TestMember } from '../../../test/support/installation.js';
import { AUDIENCE, makeKey, type OidcIssuer, startIssuer, SUBJECT } from '../../../test/support/oidc-issuer.js';
import { queryAs } from '../../../test/support/table-contents.js';
import { IssuerKeys } from './issuer-keys.js';
import { TokenExchange } from './token-exchange.js';

interface Rule {
  id: string;
  name: string;
  version: number;
  code?: string;
  errors?: { path: string; code: string }[];
}
interface Exchanged {
  token: string;
  expiresAt: string;
  user: { id: string; name: string };
  rule: { id: string };
  scope: object | null;
  code: string;
  detail: string;
}

let runward: Installation;
let admin: TestMember;
let issuer: OidcIssuer;
let accountId: string;
let environmentId: string;
let rule: Rule;
let clock = 0;

beforeAll(async () => {
  issuer = await startIssuer();
  runward = await startInstallation({ RUNWARD_OUTGOING_PRIVATE: '127.0.0.0/8' });
  runward.app.get(IssuerKeys).now = () => clock;
  admin = await runward.tenant('acme');
  ({ environmentId } = await makeScene(admin.api, { name: 'staging' }));
  await makeScene(admin.api, { name: 'production' });
  accountId = await account('deployer');
  rule = await trust('main branch', { environmentIds: [environmentId] });
});
afterAll(async () => {
  await runward.close();
  await issuer.close();
});
afterEach(() => {
  issuer.answer = undefined;
  issuer.document = {};
});

async function account(name: string, by = admin): Promise<string> {
  const made = await by.api.post<{ id: string }>('/api/service-accounts', { name, role: 'operator' });
  expect(made.status).toBe(201);
  return made.body.id;
}

const ruleRequest = (name: string, more: object = {}) => ({
  ...{ name, issuer: issuer.url, audience: AUDIENCE, subject: SUBJECT, userId: accountId },
  ...more,
});
async function trust(name: string, more: object = {}, by = admin): Promise<Rule> {
  const made = await by.api.post<Rule>('/api/oidc-trust-rules', ruleRequest(name, more));
  expect({ status: made.status, errors: made.body.errors }).toEqual({ status: 201, errors: undefined });
  return made.body;
}
const exchange = (token: string, more: object = {}) =>
  runward.anonymous.post<Exchanged>('/api/auth/oidc-exchange', { token, ...more });
const codeOf = async (token: string, more: object = {}) => {
  const { status, body } = await exchange(token, more);
  return `${status} ${body.code}`;
};
const bearer = (token: string) => apiClient(runward.url, { token });

describe('a token of an identity provider', () => {
  it.each(['RS256', 'ES256'] as const)(
    'signed by %s is exchanged for a short-lived token of the member',
    async (alg) => {
      const answer = await exchange(await issuer.token({}, { key: issuer.key(alg) }));
      expect(answer.status).toBe(200);
      expect(answer.headers.get('cache-control')).toContain('no-store');
      expect(answer.body).toMatchObject({
        user: { id: accountId, name: 'deployer', role: 'operator' },
        rule: { id: rule.id, name: 'main branch' },
        scope: { access: 'run', environmentIds: [environmentId] },
      });
      const seconds = (Date.parse(answer.body.expiresAt) - Date.now()) / 1000;
      expect(seconds).toBeGreaterThan(3500);
      expect(seconds).toBeLessThanOrEqual(3605);
      const api = bearer(answer.body.token);
      expect((await api.get('/api/auth/me')).body).toMatchObject({
        ...{ id: accountId, machine: true, via: 'token' },
        token: { name: SUBJECT, scope: { access: 'run', environmentIds: [environmentId] } },
      });
      expect((await api.get<{ items: { name: string }[] }>('/api/environments')).body.items).toMatchObject([
        { name: 'staging' },
      ]);
      expect((await api.post('/api/environments', { name: 'mine' })).status).toBe(403);
    },
  );

  it('can be exchanged repeatedly until it expires; each exchange is audited', async () => {
    const token = await issuer.token({ jti: 'job-twice' });
    const answers = [await exchange(token), await exchange(token)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const log = await admin.api.get<{ items: { after: { jti: string } }[] }>('/api/audit-logs?action=token.exchange');
    const own = log.body.items.filter(({ after }) => after.jti === 'job-twice');
    expect(own).toMatchObject([
      { actor: { id: accountId }, after: { subject: SUBJECT, issuer: issuer.url, rule: { name: 'main branch' } } },
      {},
    ]);
    for (const { body } of answers) expect(log.text).not.toContain(body.token);
    expect(log.text).not.toContain(token);
  });

  it('is refused with a code for its fault', async () => {
    const now = Math.floor(Date.now() / 1000);
    const cases: [JWTPayload, string][] = [
      [{ exp: now - 120 }, '401 oidc_token_expired'],
      [{ iat: now - 7200, nbf: now - 7200 }, '401 oidc_token_expired'],
      [{ nbf: now + 600 }, '401 oidc_token_not_yet_valid'],
      [{ iat: now + 600 }, '401 oidc_token_not_yet_valid'],
      [{ aud: 'https://elsewhere.example.com' }, '401 oidc_audience_wrong'],
      [{ aud: ['https://elsewhere.example.com', AUDIENCE] }, '200 undefined'],
      [{ aud: `${AUDIENCE}/` }, '401 oidc_audience_wrong'],
      [{ sub: 'repo:acme/shop:ref:refs/heads/other' }, '401 oidc_subject_unknown'],
      [{ sub: 'repo:acme/shop:ref:refs/heads/main\u0000' }, '401 oidc_claims_invalid'],
      [{ sub: 'repo:acme/\u202eshop' }, '401 oidc_claims_invalid'],
      [{ sub: undefined }, '401 oidc_claims_invalid'],
      [{ exp: undefined }, '401 oidc_claims_invalid'],
      [{ iat: undefined }, '401 oidc_claims_invalid'],
      [{ aud: undefined }, '401 oidc_claims_invalid'],
      [{ iss: 'https://unknown.example.com' }, '401 oidc_issuer_unknown'],
      [{ iss: `${issuer.url}/` }, '401 oidc_issuer_unknown'],
      // The clocks of issuer and service may differ slightly.
      [{ exp: now - 20 }, '200 undefined'],
      [{ nbf: now + 20, iat: now + 20 }, '200 undefined'],
    ];
    for (const [claims, expected] of cases)
      expect([claims, await codeOf(await issuer.token(claims))]).toEqual([claims, expected]);
  });

  it('with malformed claims or header is refused, also in a trial', async () => {
    const values = [
      {},
      { a: { b: [1] } },
      [],
      [1],
      [null],
      [[AUDIENCE]],
      [AUDIENCE, {}],
      null,
      true,
      -1,
      1.5,
      1e300,
      '',
    ];
    const claims = ['iss', 'sub', 'aud', 'exp', 'iat', 'nbf', 'jti'];
    const members = ['alg', 'kid', 'typ', 'crit', 'b64', 'cty', 'jwk'];
    const odd: string[] = [];
    for (const value of values) {
      const tokens = await Promise.all([
        ...claims.map(async (name) => [name, await issuer.raw({ aud: 'elsewhere', [name]: value }, {})] as const),
        ...members.map(async (name) => [name, await issuer.raw({ aud: 'elsewhere' }, { [name]: value })] as const),
      ]);
      for (const [name, token] of tokens) {
        const { status, body } = await exchange(token);
        const trialResult = await admin.api.post<{ outcome: string }>('/api/oidc-trust-rules/try', { token });
        const isRefused =
          [400, 401].includes(status) && (trialResult.status === 400 || trialResult.body.outcome === 'refused');
        if (!isRefused)
          odd.push(`${name} ${JSON.stringify(value)}: ${status} ${body.code}, tried ${trialResult.status}`);
      }
    }
    expect(odd).toEqual([]);
    for (const aud of [{}, [AUDIENCE, {}], [[AUDIENCE]], 1, true])
      expect(await codeOf(await issuer.raw({ aud }, {}))).toBe('401 oidc_claims_invalid');
  });

  it('that is not a JWT is rejected with that reason', async () => {
    for (const token of [
      'x',
      'a.b.c',
      'eyJhbGciOiJSUzI1NiJ9.e30.',
      `${'a'.repeat(9000)}.b.c`,
      '.',
      '..',
      'null.null.null',
    ]) {
      const answer = await exchange(token);
      expect([token.slice(0, 30), answer.status, answer.body]).toMatchObject([
        ...[token.slice(0, 30), 400],
        { errors: [{ path: '/token', code: 'not_a_jwt' }] },
      ]);
    }
    expect((await exchange('a'.repeat(15_001))).status).toBe(400);
    expect((await exchange('a'.repeat(17_000))).status).toBe(413);
  });
});

describe('a hostile token', () => {
  const part = (value: object) => base64url.encode(JSON.stringify(value));
  const now = () => Math.floor(Date.now() / 1000);
  const claims = () => ({ iss: issuer.url, sub: SUBJECT, aud: AUDIENCE, iat: now(), exp: now() + 300 });
  const unsigned = (header: object) => `${part(header)}.${part(claims())}`;

  it('is never exchanged', async () => {
    const strangerKey = await makeKey('RS256');
    const own = issuer.key('RS256');
    const pem = createPublicKey({ key: own.publicJwk, format: 'jwk' })
      .export({ type: 'spki', format: 'pem' })
      .toString();
    const hmac = (header: object, secret: string | Buffer) => {
      const text = unsigned(header);
      return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
    };
    const validToken = await issuer.token();
    const [header = '', payload = '', signature = ''] = validToken.split('.');
    const attempts: Record<string, string> = {
      'alg none': `${unsigned({ alg: 'none' })}.`,
      'alg None': `${unsigned({ alg: 'None', kid: own.kid })}.`,
      'alg none with a signature': `${unsigned({ alg: 'none', kid: own.kid })}.${signature}`,
      'HS256 by the public key': hmac({ alg: 'HS256', kid: own.kid }, pem),
      'HS256 by the modulus': hmac({ alg: 'HS256', kid: own.kid }, Buffer.from(String(own.publicJwk.n), 'base64url')),
      'HS256 by nothing': hmac({ alg: 'HS256' }, ''),
      'another key under the same kid': await issuer.token({}, { key: { ...strangerKey, kid: own.kid } }),
      'another key under its own kid': await issuer.token({}, { key: strangerKey }),
      'another key, embedded': await issuer.token({}, { key: strangerKey, header: { jwk: strangerKey.publicJwk } }),
      'another key, embedded under the kid': await issuer.token(
        {},
        { key: { ...strangerKey, kid: own.kid }, header: { jwk: strangerKey.publicJwk } },
      ),
      'another key by jku': await issuer.token({}, { key: strangerKey, header: { jku: `${issuer.url}/jwks` } }),
      'another key by x5u': await issuer.token({}, { key: strangerKey, header: { x5u: 'http://127.0.0.1:1/' } }),
      'the kid of the other algorithm': await issuer.token({}, { key: { ...own, kid: issuer.key('ES256').kid } }),
      'a kid that is a path': await issuer.token({}, { key: { ...strangerKey, kid: '../../etc/passwd' } }),
      'a kid that is SQL': await issuer.token({}, { key: { ...strangerKey, kid: "' or 1=1 --" } }),
      'crit of something unknown': `${part({ alg: 'RS256', kid: own.kid, crit: ['exp'], exp: 1 })}.${payload}.${signature}`,
      'an unencoded payload': `${part({ alg: 'RS256', kid: own.kid, b64: false, crit: ['b64'] })}.${payload}.${signature}`,
      'another payload': `${header}.${part({ ...claims(), sub: SUBJECT, jti: 'mine' })}.${signature}`,
      'another header': `${part({ alg: 'RS256', kid: own.kid })}.${payload}.${signature}`,
      'PS256 over an RS256 signature': `${part({ alg: 'PS256', kid: own.kid })}.${payload}.${signature}`,
      'no signature': `${header}.${payload}.`,
      'half a signature': `${header}.${payload}.${signature.slice(0, 100)}`,
      'a signature of zeros': `${header}.${payload}.${base64url.encode(Buffer.alloc(256))}`,
      'an ES256 signature of zeros': `${part({ alg: 'ES256', kid: issuer.key('ES256').kid })}.${payload}.${base64url.encode(Buffer.alloc(64))}`,
      'a token within a token': `${part({ alg: 'RS256', kid: own.kid, cty: 'JWT' })}.${base64url.encode(validToken)}.${signature}`,
      'an encrypted one': `${part({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.a.b.c.d`,
      'five parts': `${validToken}.a.b`,
      'white space within': validToken.replace('.', '. '),
      'a list of issuers': await issuer.token({ iss: [issuer.url] as never }),
      'an object for a subject': await issuer.token({ sub: { toString: SUBJECT } as never }),
      'a pattern for a subject': await issuer.token({ sub: 'repo:acme/shop:*' }),
      'a subject that is much too long': await issuer.token({ sub: `${SUBJECT}${'x'.repeat(1000)}` }),
      'times that are texts': await issuer.token({ exp: '9999999999' as never }),
      'an expiry without end': await issuer.token({ exp: 1e300, iat: now() - 7200 }),
    };
    // Each attempt advances the clock, because unknown keys are fetched again only after an interval.
    for (const [name, token] of Object.entries(attempts)) {
      clock += 6000;
      const answer = await exchange(token);
      expect({ name, status: answer.status }).not.toEqual({ name, status: 200 });
      expect({ name, known: [400, 401].includes(answer.status), token: answer.body.token }).toEqual({
        ...{ name, known: true, token: undefined },
      });
    }
    expect(Object.keys(attempts).length).toBeGreaterThanOrEqual(30);
    expect(await codeOf(validToken)).toBe('200 undefined');
  });

  it('without a signature of the issuer reveals nothing but the invalid signature', async () => {
    const strangerKey = await makeKey('RS256');
    for (const odd of [{}, { exp: 1 }, { aud: 'x' }, { sub: 'x' }, { nbf: now() + 999 }]) {
      clock += 6000;
      expect([odd, await codeOf(await issuer.token(odd, { key: strangerKey }))]).toEqual([
        odd,
        '401 oidc_signature_invalid',
      ]);
      expect(await codeOf(await issuer.token(odd, { key: strangerKey }), { tenant: 'nobody' })).toBe(
        '401 oidc_signature_invalid',
      );
    }
  });
});

describe('the keys of an issuer', () => {
  it('are fetched again after a rotation, and old keys become invalid', async () => {
    const before = issuer.key('RS256');
    expect(await codeOf(await issuer.token())).toBe('200 undefined');
    await issuer.rotate();
    clock += 5001;
    expect(await codeOf(await issuer.token())).toBe('200 undefined');
    expect(await codeOf(await issuer.token({}, { key: issuer.key('ES256') }))).toBe('200 undefined');
    expect(await codeOf(await issuer.token({}, { key: before }))).toBe('401 oidc_signature_invalid');
  });

  it('are fetched once per interval, regardless of the number of unknown key IDs', async () => {
    clock += 5001;
    const strangerKeys = await Promise.all(Array.from({ length: 10 }, () => makeKey('ES256')));
    const before = issuer.keyRequests;
    const tokens = await Promise.all(strangerKeys.map((key) => issuer.token({}, { key })));
    const codes = await Promise.all(tokens.map((token) => codeOf(token)));
    expect(new Set(codes)).toEqual(new Set(['401 oidc_signature_invalid']));
    expect(issuer.keyRequests - before).toBe(1);
    expect(await codeOf(await issuer.token())).toBe('200 undefined');
    expect(issuer.keyRequests - before).toBe(1);
  });

  it('stay valid for a while when the issuer is unreachable', async () => {
    issuer.answer = (_, response) => response.writeHead(503).end();
    clock += 11 * 60_000;
    expect(await codeOf(await issuer.token())).toBe('200 undefined');
    clock += 55 * 60_000;
    const answer = await exchange(await issuer.token());
    expect([answer.status, answer.body.code, answer.headers.get('retry-after')]).toEqual([
      ...[503, 'oidc_issuer_unreachable', '5'],
    ]);
    expect(answer.body.detail).toContain('It answered the request for its keys with 503');
    issuer.answer = undefined;
    clock += 5001;
    expect(await codeOf(await issuer.token())).toBe('200 undefined');
  });

  it('are rejected from an issuer that redirects, contradicts itself or sends too much', async () => {
    const odd: [string, Partial<Pick<OidcIssuer, 'answer' | 'document'>>, string][] = [
      ['redirects', { answer: (_, response) => response.writeHead(302, { location: '/jwks' }).end() }, 'keys with 302'],
      ['is no JSON', { answer: (_, response) => response.end('<html>') }, 'with a JSON object'],
      ['is a list', { answer: (_, response) => response.end('[]') }, 'with a JSON object'],
      ['is large', { answer: (_, response) => response.end('x'.repeat(70_000)) }, 'larger than 64 KiB'],
      ['hangs up', { answer: (request) => request.socket.destroy() }, 'ended before an answer arrived'],
      ['names another issuer', { document: { issuer: 'https://other.example.com' } }, 'another issuer'],
      ['has no keys', { document: { jwks_uri: 7 } }, 'no https URL'],
      ['has its keys in the clear elsewhere', { document: { jwks_uri: 'http://keys.example.com/' } }, 'no https URL'],
      ['has its keys in a file', { document: { jwks_uri: 'file:///etc/passwd' } }, 'no https URL'],
      ['has its keys in a private network', { document: { jwks_uri: 'https://10.1.2.3/jwks' } }, '10.1.2.3'],
    ];
    for (const [name, { answer, document }, text] of odd) {
      issuer.answer = answer;
      issuer.document = document ?? {};
      clock += 2 * 60 * 60_000;
      const refused = await exchange(await issuer.token());
      expect({ name, status: refused.status, detail: refused.body.detail }).toEqual({
        ...{ name, status: 503, detail: expect.stringContaining(text) },
      });
    }
    issuer.answer = undefined;
    issuer.document = {};
    clock += 5001;
    expect(await codeOf(await issuer.token())).toBe('200 undefined');
  });
});

describe('a trust rule', () => {
  it('is rejected with an instruction when it is invalid', async () => {
    const refused: [object, string, string][] = [
      [{ issuer: 'http://issuer.example.com' }, '/issuer', 'invalid_issuer'],
      [{ issuer: 'issuer.example.com' }, '/issuer', 'invalid_issuer'],
      [{ issuer: 'https://user:secret@issuer.example.com' }, '/issuer', 'invalid_issuer'],
      [{ issuer: 'https://issuer.example.com/?a=b' }, '/issuer', 'invalid_issuer'],
      [{ subject: '*' }, '/subject', 'subject_too_wide'],
      [{ subject: 'repo:acme*' }, '/subject', 'subject_too_wide'],
      [{ subject: `repo:acme/${'*a'.repeat(11)}` }, '/subject', 'subject_too_wide'],
      [{ claims: { environment: '*'.repeat(11) } }, '/claims', 'invalid_format'],
      [{ claims: { environment: 'x'.repeat(501) } }, '/claims', 'invalid_format'],
      [{ claims: { environment: 7 } }, '/claims', 'invalid_format'],
      [{ claims: { environment: ' ' } }, '/claims', 'invalid_format'],
      [{ claims: { environment: 'a\u202eb' } }, '/claims', 'invalid_format'],
      [{ claims: { sub: 'repo:acme/*' } }, '/claims', 'invalid_format'],
      [{ claims: { ['x'.repeat(101)]: 'y' } }, '/claims', 'invalid_format'],
      [{ claims: ['environment'] }, '/claims', 'invalid_format'],
      [{ claims: Object.fromEntries([...'abcdefghijk'].map((name) => [name, '*'])) }, '/claims', 'invalid_format'],
      [{ tokenLifetimeSeconds: 3601 }, '/tokenLifetimeSeconds', 'out_of_range'],
      [{ environmentIds: [] }, '/environmentIds', 'too_few'],
    ];
    for (const [more, path, code] of refused) {
      const answer = await admin.api.post<Rule>('/api/oidc-trust-rules', ruleRequest('odd', more));
      expect([more, answer.status, answer.body.errors]).toEqual([
        ...[more, 400],
        expect.arrayContaining([expect.objectContaining({ path, code })]),
      ]);
    }
    for (const more of [{ userId: environmentId }, { environmentIds: [accountId] }, { planIds: [accountId] }])
      expect((await admin.api.post('/api/oidc-trust-rules', ruleRequest('odd', more))).status).toBe(404);
    expect((await admin.api.post<Rule>('/api/oidc-trust-rules', ruleRequest('Main Branch'))).body.code).toBe(
      'duplicate_name',
    );
  });

  it('with claims accepts only tokens whose claims match all patterns', async () => {
    const subject = 'repo:acme/claims:*';
    const claims = {
      job_workflow_ref: 'acme/flows/*@refs/heads/main',
      repository_id: '7001',
      protected: 'true',
      'https://example.com/groups': 'deployers',
      environment: 'production',
    };
    const claimed = await trust('claims', { subject, claims });
    const { environment, ...patterns } = claims;
    expect(await codeOf(await issuer.token({ sub: 'repo:acme/claims:x' }))).toBe('401 oidc_claim_mismatch');
    const address = `/api/oidc-trust-rules/${claimed.id}`;
    expect((await admin.api.patch<object>(address, { claims: patterns })).body).toMatchObject({ claims: patterns });
    const matching = {
      sub: 'repo:acme/claims:x',
      job_workflow_ref: 'acme/flows/deploy.yml@refs/heads/main',
      repository_id: 7001,
      protected: true,
      'https://example.com/groups': ['staff', 'deployers'],
    };
    const mismatch = '401 oidc_claim_mismatch';
    const cases: [object, string][] = [
      [{}, '200 undefined'],
      [{ repository_id: '7001' }, '200 undefined'],
      [{ job_workflow_ref: 'acme/flows/deploy.yml@refs/heads/other' }, mismatch],
      [{ job_workflow_ref: undefined }, mismatch],
      [{ repository_id: 7001.5 }, mismatch],
      [{ repository_id: { toString: '7001' } }, mismatch],
      [{ protected: false }, mismatch],
      [{ protected: null }, mismatch],
      [{ 'https://example.com/groups': [] }, mismatch],
      [{ 'https://example.com/groups': [['deployers']] }, mismatch],
      [{ 'https://example.com/groups': 'staff' }, mismatch],
      // The subject and the audience are checked first.
      [{ sub: 'repo:acme/clams:x' }, '401 oidc_subject_unknown'],
      [{ protected: false, aud: 'elsewhere' }, '401 oidc_audience_wrong'],
    ];
    for (const [more, expected] of cases)
      expect([more, await codeOf(await issuer.token({ ...matching, ...more }))]).toEqual([more, expected]);
    const token = await issuer.token({ ...matching, protected: false });
    expect((await exchange(token)).body.detail).toBe(
      'The trust rule for this subject requires another value of the claim "protected". The token has "false".',
    );
    expect((await admin.api.post('/api/oidc-trust-rules/try', { token })).body).toMatchObject({
      ...{ outcome: 'refused', reason: { code: 'oidc_claim_mismatch' } },
    });
    const log = await admin.api.get<{ items: { after: object }[] }>('/api/audit-logs?action=token.exchange');
    expect(log.body.items[0]?.after).toMatchObject({
      claims: { repository_id: '7001', 'https://example.com/groups': 'deployers' },
    });
    const changes = await admin.api.get<{ items: object[] }>(
      `/api/audit-logs?action=oidc_trust_rule.update&resourceId=${claimed.id}`,
    );
    expect(changes.body.items[0]).toMatchObject({ before: { claims: { environment } }, after: { claims: patterns } });
  });

  it('differs by its claims from another rule with the same subject', async () => {
    const subject = 'repo:acme/apart:*';
    for (const environment of ['staging', 'production'])
      await trust(`apart ${environment}`, { subject, claims: { environment } });
    const answer = await exchange(await issuer.token({ sub: 'repo:acme/apart:x', environment: 'production' }));
    expect(answer.body.rule).toMatchObject({ name: 'apart production' });
    expect(await codeOf(await issuer.token({ sub: 'repo:acme/apart:x', environment: 'test' }))).toBe(
      '401 oidc_claim_mismatch',
    );
  });

  it('ends its tokens when it changes, and exchanges nothing while it is disabled', async () => {
    const subject = 'repo:acme/other:ref:refs/heads/main';
    const other = await trust('other', { subject, access: 'all' });
    const address = `/api/oidc-trust-rules/${other.id}`;
    const change = async (body: object, aliveCount: number) => {
      const exchanged = await exchange(await issuer.token({ sub: subject }));
      const child = await bearer(exchanged.body.token).post<{ token: string }>('/api/tokens', { name: 'made with it' });
      expect([exchanged.status, child.status]).toEqual([200, 201]);
      expect((await admin.api.patch(address, body)).status).toBe(200);
      for (const { token } of [exchanged.body, child.body])
        expect([body, (await bearer(token).get('/api/auth/me')).status]).toEqual([body, aliveCount]);
    };
    await change({ name: 'renamed' }, 200);
    await change({ access: 'all' }, 401);
    await change({ environmentIds: [environmentId] }, 401);
    await change({ environmentIds: null }, 401);
    await change({ enabled: false }, 401);
    expect(await codeOf(await issuer.token({ sub: subject }))).toBe('401 oidc_subject_unknown');
    expect((await admin.api.patch(address, { enabled: true })).status).toBe(200);
    const given = await exchange(await issuer.token({ sub: subject }));
    expect((await admin.api.delete(address)).status).toBe(200);
    expect((await bearer(given.body.token).get('/api/auth/me')).status).toBe(401);
    expect(await codeOf(await issuer.token({ sub: subject }))).toBe('401 oidc_subject_unknown');
  });

  it('issues no tokens for a disabled member, and prevents the deletion of its member', async () => {
    const subject = 'repo:acme/third:ref:refs/heads/main';
    const userId = await account('third');
    const third = await trust('third', { subject, userId });
    const address = `/api/service-accounts/${userId}`;
    const exchanged = await exchange(await issuer.token({ sub: subject }));
    await admin.api.patch(address, { disabled: true });
    expect((await bearer(exchanged.body.token).get('/api/auth/me')).status).toBe(401);
    expect(await codeOf(await issuer.token({ sub: subject }))).toBe('401 oidc_member_disabled');
    const log = await admin.api.get('/api/audit-logs?action=token.refuse_exchange');
    expect((log.body as { items: object[] }).items[0]).toMatchObject({ after: { reason: 'member_disabled', subject } });
    const deletionAnswer = await admin.api.delete<{ code: string; referrers: object[] }>(address);
    expect([deletionAnswer.status, deletionAnswer.body]).toMatchObject([
      409,
      { code: 'in_use', referrers: [{ type: 'oidc_trust_rule', id: third.id, name: 'third' }] },
    ]);
    await admin.api.delete(`/api/oidc-trust-rules/${third.id}`);
    expect((await admin.api.delete(address)).status).toBe(200);
  });

  it('audits refused tokens with a valid signature, at most 20 per hour and issuer, and counts the rest', async () => {
    const own = await startIssuer();
    const onlyAdminTenant = await runward.tenant('lonely');
    const { body: agent } = await onlyAdminTenant.api.post<{ id: string }>('/api/service-accounts', {
      name: 'ci',
      role: 'operator',
    });
    const rule = { name: 'main', issuer: own.url, audience: 'runward', subject: 'repo:acme/app', userId: agent.id };
    expect((await onlyAdminTenant.api.post('/api/oidc-trust-rules', rule)).status).toBe(201);
    const refused = async () => {
      const { body } = await onlyAdminTenant.api.get<{ items: { after: object; actor: object }[] }>(
        '/api/audit-logs?action=token.refuse_exchange&limit=200',
      );
      return body.items;
    };
    const strangerKey = 'repo:stranger/app';
    expect(await codeOf(await own.token({ sub: 'repo:acme/app', aud: 'other' }))).toBe('401 oidc_audience_wrong');
    expect((await refused()).map(({ after }) => after)).toMatchObject([
      { reason: 'oidc_audience_wrong', issuer: own.url, subject: 'repo:acme/app', audiences: ['other'] },
    ]);
    for (let turn = 0; turn < 25; turn += 1)
      expect(await codeOf(await own.token({ sub: strangerKey }))).toBe('401 oidc_subject_unknown');
    const entries = await refused();
    expect(entries).toHaveLength(20);
    expect(entries[0]).toMatchObject({ after: { reason: 'oidc_subject_unknown', subject: strangerKey } });
    expect(JSON.stringify(entries)).not.toContain('eyJ');
    runward.app.get(TokenExchange).now = () => performance.now() + 3_600_000;
    await codeOf(await own.token({ sub: strangerKey }));
    expect((await refused())[0]).toMatchObject({ after: { subject: strangerKey, leftOut: 6 } });
    await own.close();
  });

  it('must be narrowed when several rules of a tenant match', async () => {
    const sub = 'repo:acme/wide:ref:refs/heads/main';
    const wideRuleId = await trust('wide', { subject: 'repo:acme/wide:*' });
    const narrowRuleId = await trust('narrow', { subject: sub });
    expect(await codeOf(await issuer.token({ sub }))).toBe('409 oidc_several_rules');
    expect(await codeOf(await issuer.token({ sub: 'repo:acme/wide:pull_request' }))).toBe('200 undefined');
    await admin.api.delete(`/api/oidc-trust-rules/${wideRuleId.id}`);
    expect((await exchange(await issuer.token({ sub }))).body.rule).toMatchObject({ id: narrowRuleId.id });
  });

  it('can be tested with a token, without an exchange', async () => {
    const path = '/api/oidc-trust-rules/try';
    const validToken = await admin.api.post(path, { token: await issuer.token() });
    expect(validToken.body).toMatchObject({ outcome: 'accepted', reason: null, subject: SUBJECT, ruleId: rule.id });
    expect(validToken.text).not.toContain('runward_');
    const wrongAudience = await admin.api.post(path, { token: await issuer.token({ aud: 'other' }) });
    expect(wrongAudience.body).toMatchObject({
      outcome: 'refused',
      reason: { code: 'oidc_audience_wrong' },
      audiences: ['other'],
      ruleId: null,
    });
    const strangerKey = await runward.tenant('stranger');
    const elsewhere = await strangerKey.api.post(path, { token: await issuer.token() });
    expect(elsewhere.body).toMatchObject({ outcome: 'refused', reason: { code: 'oidc_issuer_unknown' } });
  });
});

describe('an issuer that two tenants trust', () => {
  it('requires the tenant if both trust the subject, and otherwise selects the only one', async () => {
    const other = await runward.tenant('umbrella');
    const userId = await account('umbrella deployer', other);
    const foreignRuleId = await trust('theirs', { userId }, other);
    const exchangedToken = await exchange(await issuer.token());
    expect([exchangedToken.status, exchangedToken.body.code]).toEqual([409, 'tenant_required']);
    expect(exchangedToken.text).not.toContain('umbrella');
    const named = await exchange(await issuer.token(), { tenant: 'UMBRELLA' });
    expect(named.body).toMatchObject({
      user: { id: userId },
      rule: { id: foreignRuleId.id },
      tenant: { name: 'umbrella' },
    });
    expect((await bearer(named.body.token).get('/api/auth/me')).body).toMatchObject({ tenant: { name: 'umbrella' } });
    expect((await exchange(await issuer.token(), { tenant: 'acme' })).body).toMatchObject({ rule: { id: rule.id } });
    const texts = [];
    for (const tenant of ['nobody', 'stranger']) {
      const answer = await exchange(await issuer.token(), { tenant });
      texts.push(answer.text.replace(/"requestId":"[^"]*"/, ''));
      expect([answer.status, answer.body.code]).toEqual([401, 'oidc_subject_unknown']);
    }
    expect(texts[0]).toBe(texts[1]);
    await other.api.patch(`/api/oidc-trust-rules/${foreignRuleId.id}`, { enabled: false });
    expect((await exchange(await issuer.token())).body).toMatchObject({ rule: { id: rule.id } });
  });
});

describe('exchanged tokens', () => {
  it('cannot approve, regardless of the role of their member', async () => {
    const subject = 'repo:acme/boss:ref:refs/heads/main';
    await trust('as the admin', { subject, userId: admin.userId, access: 'all' });
    const { body } = await exchange(await issuer.token({ sub: subject }));
    const api = bearer(body.token);
    expect((await api.get('/api/auth/me')).body).toMatchObject({ id: admin.userId, role: 'admin', machine: true });
    const child = await api.post<{ token: string }>('/api/tokens', { name: 'child' });
    for (const each of [api, bearer(child.body.token)]) {
      const answer = await each.post<{ code: string }>(`/api/executions/${admin.userId}/approve`, {
        digest: 'a'.repeat(64),
      });
      expect([answer.status, answer.body.code]).toEqual([403, 'person_required']);
    }
  });

  it('are deleted some time after their end, with their directory entries', async () => {
    const { tenantId } = admin;
    const age = `update api_tokens set expires_at = now() - interval '2 days' where tenant_id = $1 and exchanged`;
    await queryAs(runward.database, tenantId, age, [tenantId]);
    await exchange(await issuer.token());
    const [left] = await queryAs<{ count: number; listed: number }>(
      runward.database,
      tenantId,
      `select (select count(*)::int from api_tokens where tenant_id = $1 and exchanged) as count,
        (select count(*)::int from auth_directory d where d.tenant_id = $1 and d.kind = 'token'
          and not exists (select from api_tokens t where t.id = d.record_id)) as listed`,
      [tenantId],
    );
    expect(left).toEqual({ count: 1, listed: 0 });
  });
});
