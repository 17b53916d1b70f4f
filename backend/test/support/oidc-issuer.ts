import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  base64url,
  type CryptoKey,
  decodeJwt,
  exportJWK,
  generateKeyPair,
  type JWK,
  type JWTPayload,
  SignJWT,
} from 'jose';

type Algorithm = 'RS256' | 'ES256';

export interface IssuerKey {
  kid: string;
  alg: Algorithm;
  privateKey: CryptoKey;
  publicJwk: JWK;
}

/** OpenID Connect provider on loopback, like those of GitHub and GitLab. */
export interface OidcIssuer {
  url: string;
  keys: IssuerKey[];
  keyRequests: number;
  /** Replaces the response; undefined: the normal response. */
  answer?: (request: IncomingMessage, response: ServerResponse) => void;
  document: object;
  rotate(): Promise<void>;
  /** Creates a token for a job. `claims` and `header` override the defaults. */
  token(claims?: JWTPayload, options?: { key?: IssuerKey; header?: object }): Promise<string>;
  raw(claims: object, header: object): Promise<string>;
  key(alg: Algorithm): IssuerKey;
  close(): Promise<void>;
}

export const AUDIENCE = 'https://runward.example.com';
export const SUBJECT = 'repo:acme/shop:ref:refs/heads/main';

let numbered = 0;

export async function makeKey(alg: Algorithm): Promise<IssuerKey> {
  numbered += 1;
  const kid = `key-${numbered}`;
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

export async function startIssuer(): Promise<OidcIssuer> {
  const server = createServer((request, response) => {
    if (issuer.answer) return issuer.answer(request, response);
    const json = (value: object) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    };
    if (request.url === '/.well-known/openid-configuration')
      return json({ issuer: issuer.url, jwks_uri: `${issuer.url}/jwks`, ...issuer.document });
    if (request.url !== '/jwks') return response.writeHead(404).end();
    issuer.keyRequests += 1;
    return json({ keys: issuer.keys.map(({ publicJwk }) => publicJwk) });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer: OidcIssuer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: [],
    keyRequests: 0,
    document: {},
    async rotate() {
      issuer.keys = [await makeKey('RS256'), await makeKey('ES256')];
    },
    async token(claims = {}, { key = issuer.key('RS256'), header = {} } = {}) {
      const now = Math.floor(Date.now() / 1000);
      const usual = { iss: issuer.url, sub: SUBJECT, aud: AUDIENCE, iat: now, nbf: now, exp: now + 300, jti: 'job-1' };
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header })
        .sign(key.privateKey);
    },
    async raw(claims, header) {
      const key = issuer.key('RS256');
      const part = (value: object) => base64url.encode(JSON.stringify(value));
      const usual = decodeJwt(await issuer.token());
      const signed = `${part({ alg: key.alg, kid: key.kid, ...header })}.${part({ ...usual, ...claims })}`;
      const signature = await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key.privateKey, Buffer.from(signed));
      return `${signed}.${base64url.encode(new Uint8Array(signature))}`;
    },
    key(alg) {
      const key = issuer.keys.find((each) => each.alg === alg);
      if (!key) throw new Error(`The issuer has no key for ${alg}.`);
      return key;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  await issuer.rotate();
  return issuer;
}
