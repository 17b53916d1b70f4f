import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, PASSWORD, startInstallation, type TestMember } from '../test/support/installation.js';

let lan: Installation;
let secured: Installation;
let admin: TestMember;

beforeAll(async () => {
  lan = await startInstallation({ RUNWARD_PUBLIC_URL: 'http://10.20.30.40:8080' });
  secured = await startInstallation({ RUNWARD_PUBLIC_URL: 'https://runward.example.org' });
  admin = await lan.tenant();
  await secured.tenant();
});
afterAll(async () => {
  await lan.close();
  await secured.close();
});

/** Paths with each kind of response: served, public, refused, not found. */
const PATHS = ['/', '/api/health/live', '/api/auth/me', '/api/none', '/api/openapi.json'];

function raw(...lines: string[]): Promise<number> {
  const { hostname, port } = new URL(lan.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () =>
      socket.write([...lines, 'Connection: close', '', ''].join('\r\n')),
    );
    let text = '';
    socket.on('data', (part: Buffer) => (text += part.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(Number(text.split(' ')[1])));
  });
}

/** Sends a request with a custom Host header, which fetch does not allow. */
function post(path: string, headers: Record<string, string>, body: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(`${lan.url}${path}`, { method: 'POST', headers }, (answer) => {
      let text = '';
      answer.on('data', (part: Buffer) => {
        text += part.toString();
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(body));
  });
}

describe('security headers', () => {
  it.each(PATHS)('do not enforce https over plain http, on %s', async (path) => {
    const { headers } = await lan.anonymous.get(path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('upgrade-insecure-requests');
    expect(/script-src[^;]*unsafe/.test(policy)).toBe(false);
    expect(headers.get('strict-transport-security')).toBeNull();
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('camera=(), ');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it.each(PATHS)('enforce https where the public address is https, on %s', async (path) => {
    const { headers } = await secured.anonymous.get(path);
    expect(headers.get('content-security-policy')).toContain('upgrade-insecure-requests');
    expect(headers.get('strict-transport-security')).toMatch(/max-age=\d{7,}/);
  });

  it('make the session cookie secure only where the public address is https', async () => {
    const cookieOf = async (installation: Installation) => {
      const login = { email: 'admin-1@example.test', password: PASSWORD };
      return (await installation.anonymous.post('/api/auth/login', login)).headers.get('set-cookie') ?? '';
    };
    expect(await cookieOf(lan)).toMatch(/^runward_session=[^;]+;(?!.*Secure).*HttpOnly.*SameSite=Strict/);
    expect(await cookieOf(secured)).toMatch(/^runward_session=[^;]+;(?=.*Secure).*HttpOnly.*SameSite=Strict/);
  });
});

describe('a malformed request', () => {
  it.each(PATHS)('with two hosts is refused, on %s', async (path) => {
    expect(await raw(`GET ${path} HTTP/1.1`, 'Host: a.example', 'host: b.example')).toBe(400);
  });

  it.each(['..%2fpackage.json', '%2e%2e/index.html', '..%5c..%5cpackage.json', '%00', '%', '.git', 'none.js'])(
    'for an impossible asset is answered with 404 or 400, on /assets/%s',
    async (name) => {
      const wellFormed = !/%$|%00/.test(name);
      expect(await raw(`GET /assets/${name} HTTP/1.1`, 'Host: a.example')).toBe(wellFormed ? 404 : 400);
    },
  );
});

describe('a cross-site request of a browser', () => {
  const json = { 'content-type': 'application/json' };

  it('is refused by its origin and by the fetch metadata of the browser', async () => {
    const cookie = (
      (await lan.anonymous.post('/api/auth/login', { email: admin.email, password: PASSWORD })).headers.get(
        'set-cookie',
      ) ?? ''
    ).split(';')[0] as string;
    const body = { name: 'forged' };
    const forged = [
      { ...json, cookie, origin: 'https://evil.example' },
      { ...json, cookie, origin: 'null' },
      { ...json, cookie, 'sec-fetch-site': 'cross-site' },
    ];
    for (const headers of forged) {
      const answer = await post('/api/tokens', headers, body);
      expect(answer).toMatchObject({ status: 403 });
      expect(JSON.parse(answer.text)).toMatchObject({ code: 'cross_origin' });
    }
    const [stored] = await lan.database.query(`select 1 from api_tokens where name = 'forged'`);
    expect(stored).toBeUndefined();
    const own = { ...json, cookie, 'sec-fetch-site': 'same-origin' };
    expect(await post('/api/tokens', own, { name: 'own' })).toMatchObject({ status: 201 });
  });

  it('is distinguished from same-origin requests over plain http on a LAN, where browsers send only the origin', async () => {
    const body = { email: admin.email, password: PASSWORD };
    const sameHost = { ...json, host: 'runward.lan:8080', origin: 'http://runward.lan:8080' };
    const publicAddress = { ...json, host: 'proxy.internal', origin: 'http://10.20.30.40:8080' };
    const foreign = { ...json, host: 'runward.lan:8080', origin: 'http://other.lan:8080' };
    expect(await post('/api/auth/login', sameHost, body)).toMatchObject({ status: 200 });
    expect(await post('/api/auth/login', publicAddress, body)).toMatchObject({ status: 200 });
    expect(await post('/api/auth/login', foreign, body)).toMatchObject({ status: 403 });
  });
});
