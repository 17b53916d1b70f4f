import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation } from '../../test/support/installation.js';

const folder = path.resolve(import.meta.dirname, '../../../frontend/dist');
const assets = readdirSync(path.join(folder, 'assets')).filter((name) => !/\.(?:br|gz)$/.test(name));

let runward: Installation;

beforeAll(async () => {
  runward = await startInstallation();
});
afterAll(() => runward.close());

interface Served {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  bytes: Buffer;
}

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Unlike fetch, does not decompress the response. */
function get(address: string, accepted?: string, method = 'GET', accept = BROWSER): Promise<Served> {
  return new Promise((resolve, reject) => {
    const headers = { accept, ...(accepted === undefined ? {} : { 'accept-encoding': accepted }) };
    const sent = request(`${runward.url}${address}`, { method, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
      );
    });
    sent.on('error', reject);
    sent.end();
  });
}

const UNPACK: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };

describe('frontend files', () => {
  it('are cached permanently if their names contain a hash, and compressed if they are large', async () => {
    expect(assets.length).toBeGreaterThan(20);
    for (const name of assets) {
      const original = readFileSync(path.join(folder, 'assets', name));
      const { status, headers, bytes } = await get(`/assets/${name}`, 'gzip, deflate, br');
      expect([name, status, headers['cache-control']]).toEqual([name, 200, 'public, max-age=31536000, immutable']);
      const encoding = String(headers['content-encoding'] ?? '');
      const isText = /\.(?:js|css|svg)$/.test(name);
      expect([name, encoding]).toEqual([name, isText && original.length >= 1024 ? 'br' : '']);
      expect((UNPACK[encoding]?.(bytes) ?? bytes).equals(original)).toBe(true);
      if (encoding) expect(headers.vary).toMatch(/accept-encoding/i);
      expect(headers['content-type']).toMatch(
        name.endsWith('.js') ? /javascript/ : name.endsWith('.css') ? /css/ : /./,
      );
    }
  });

  it('have no headers for documents, except the page itself', async () => {
    for (const name of assets.filter((each) => !each.endsWith('.svg'))) {
      const { headers } = await get(`/assets/${name}`, 'br');
      expect([name, headers['content-security-policy'], headers['permissions-policy']]).toEqual([
        name,
        undefined,
        undefined,
      ]);
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    }
    expect((await get('/')).headers['content-security-policy']).toContain("default-src 'self'");
  });

  it.each([
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', undefined],
    [undefined, undefined],
  ])('use an encoding that the client accepts: %s', async (accepted, expected) => {
    for (const address of [
      '/',
      '/executions/some-run',
      `/assets/${assets.find((name) => name.startsWith('react-'))}`,
    ]) {
      const { status, headers } = await get(address, accepted);
      expect([address, status, headers['content-encoding']]).toEqual([address, 200, expected]);
    }
  });

  it('show a new version at once, because the page is revalidated', async () => {
    for (const address of ['/', '/index.html', '/plans?q=x', '/favicon.svg']) {
      const { status, headers } = await get(address, 'br');
      expect([address, status, headers['cache-control']]).toEqual([address, 200, 'no-cache']);
    }
    expect((await get('/', 'br', 'HEAD')).bytes).toHaveLength(0);
  });

  describe.each(['/healthz', '/executions/some-run', '/apis', '/%E0%A4%A'])('at %s', (address) => {
    it.each([BROWSER, 'text/html', 'TEXT/HTML;q=0.5', 'application/json, text/html;level=1', 'application/xhtml+xml'])(
      'return the page for clients that accept HTML: %s',
      async (accept) => {
        for (const method of ['GET', 'HEAD']) {
          const { status, headers } = await get(address, undefined, method, accept);
          expect([method, status, headers['content-type']]).toEqual([method, 200, 'text/html; charset=utf-8']);
          expect(headers.vary).toMatch(/\baccept\b(?!-)/i);
        }
      },
    );

    it.each([
      ...['*/*', '', 'application/json', 'text/plain;version=0.0.4;q=0.5,*/*;q=0.1', 'text/*', 'text/html;q=0, */*'],
      ...['application/openmetrics-text;version=1.0.0', 'text/htmlx', 'image/avif,image/webp,*/*;q=0.8'],
    ])('return 404 for other clients: %s', async (accept) => {
      for (const method of ['GET', 'HEAD']) {
        const { status, headers, bytes } = await get(address, undefined, method, accept);
        expect([method, status]).toEqual([method, 404]);
        expect(headers['content-type']).toMatch(/^application\/problem\+json/);
        if (method === 'GET') expect(JSON.parse(bytes.toString())).toMatchObject({ status: 404, code: 'not_found' });
      }
    });

    it('return 404 for other methods', async () => {
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])
        expect([method, (await get(address, undefined, method)).status]).toEqual([method, 404]);
    });
  });

  it.each(['/.well-known/security.txt', '/llms.txt', '/robots.txt', '/index.php?x=text/html', '/.env'])(
    'answer 404 for an unknown file, also in a browser: %s',
    async (address) => {
      expect((await get(address, undefined, 'GET', BROWSER)).status).toBe(404);
    },
  );

  it.each(['*/*', '', 'application/json', BROWSER])('are served by name to all clients: %s', async (accept) => {
    for (const address of ['/', '/index.html', '/favicon.svg'])
      expect([address, (await get(address, undefined, 'GET', accept)).status]).toEqual([address, 200]);
  });

  it('answer 404 for an asset of an older version, and do not affect API paths', async () => {
    expect((await get('/assets/index-00000000.js', 'br')).status).toBe(404);
    for (const address of ['/api/none', '/api', '/api/%E0%A4%A']) {
      const { status, headers } = await get(address, 'br');
      expect([address, Math.floor(status / 100)]).toEqual([address, 4]);
      expect(headers['content-type']).toMatch(/^application\/problem\+json/);
    }
  });
});

describe('documentation page', () => {
  const BROWSER_ENCODINGS = 'gzip, deflate, br';
  let page: Served;
  let html: string;
  beforeAll(async () => {
    page = await get('/api/docs', BROWSER_ENCODINGS);
    html = UNPACK[String(page.headers['content-encoding'])]?.(page.bytes).toString() ?? '';
  });

  it('is small, and loads nothing from elsewhere', async () => {
    expect([page.status, page.headers['content-type'], page.headers['cache-control']]).toEqual([
      200,
      'text/html; charset=UTF-8',
      'no-cache',
    ]);
    const loaded = [...html.matchAll(/<(?:script|link|img)[^>]+(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
    expect(loaded.filter((url) => !url.startsWith('/'))).toEqual([]);
    expect(loaded.length).toBeGreaterThan(2);
    const answers = await Promise.all([...loaded, '/api/openapi.json'].map((url) => get(url, BROWSER_ENCODINGS)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const bytes = [page, ...answers].reduce((sum, answer) => sum + answer.bytes.length, 0);
    expect(bytes).toBeLessThan(400_000);
  });

  it('works with the content security policy of the dashboard', async () => {
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toBe((await get('/')).headers['content-security-policy']);
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toContain('unsafe-eval');
    expect(html).not.toMatch(/<script(?![^>]+src=)|\son[a-z]+=/);
  });

  it('links to existing pages, and names existing operations', async () => {
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, url = '']) => url);
    for (const url of links.filter((each) => each.startsWith('/')))
      expect([url, (await get(url)).status]).toEqual([url, 200]);
    const { paths } = JSON.parse((await get('/api/openapi.json')).bytes.toString()) as { paths: object };
    const known = Object.keys(paths).map((each) => each.replace(/\{[^}]+\}/g, '$RUN'));
    const named = [...html.matchAll(/\$RUNWARD_URL(\/[^"?]+)/g)].map(([, url = '']) => url);
    expect(named.length).toBeGreaterThan(5);
    expect(named.filter((url) => !known.includes(url))).toEqual([]);
  });
});
