import { Injectable } from '@nestjs/common';
import { createLocalJWKSet, type JWK, type LocalJWKSet } from 'jose';
import { OutgoingHttp, OutgoingRequestError } from '../../common/network/outgoing-request.js';
import { toDiscoveryUrl, isTrustworthyUrl } from './issuer-url.js';

const FETCH_TIMEOUT_MS = 5_000;
const MAX_DOCUMENT_BYTES = 64 * 1024;
const MAX_KEY_SET_BYTES = 256 * 1024;
const MAX_KEYS = 100;
const REFRESH_AFTER_MS = 10 * 60_000;
/** Age up to which keys stay valid if the issuer does not answer, in ms. */
const EXPIRE_AFTER_MS = 60 * 60_000;
/** Minimum interval between two requests for an unknown key or to an unreachable issuer, in ms. */
const REFETCH_DELAY_MS = 5_000;
const MAX_ISSUERS = 500;

/** Thrown if the keys of an issuer are not available. The message gives the user the reason. */
export class IssuerUnreachable extends Error {
  override readonly name = 'IssuerUnreachable';
}

interface CachedKeySet {
  keys: LocalJWKSet;
  kids: ReadonlySet<string | undefined>;
  at: number;
}

/**
 * Caches the public keys that issuers publish. A token with an unknown key ID triggers a new fetch, at most every few
 * seconds. Issuers can therefore rotate keys at any time, and callers can't flood an issuer with requests.
 */
@Injectable()
export class IssuerKeys {
  private readonly cachedKeySets = new Map<string, CachedKeySet>();
  private readonly failed = new Map<string, { at: number; error: IssuerUnreachable }>();
  private readonly pending = new Map<string, Promise<CachedKeySet>>();
  now = (): number => performance.now();

  constructor(private readonly http: OutgoingHttp) {}

  /** @param kid key ID in the token header. @throws IssuerUnreachable */
  async findKeySet(issuer: string, kid: string | undefined): Promise<LocalJWKSet> {
    const known = this.cachedKeySets.get(issuer);
    const age = known ? this.now() - known.at : Infinity;
    if (known && (known.kids.has(kid) ? age < REFRESH_AFTER_MS : age < REFETCH_DELAY_MS)) return known.keys;
    try {
      return (await this.fetchKeySet(issuer)).keys;
    } catch (error) {
      if (known && age < EXPIRE_AFTER_MS) return known.keys;
      throw error;
    }
  }

  private fetchKeySet(issuer: string): Promise<CachedKeySet> {
    const failure = this.failed.get(issuer);
    if (failure && this.now() - failure.at < REFETCH_DELAY_MS) return Promise.reject(failure.error);
    const running = this.pending.get(issuer);
    if (running) return running;
    const work = this.downloadKeySet(issuer)
      .then(
        (keys) => {
          this.failed.delete(issuer);
          cacheBounded(this.cachedKeySets, issuer, keys);
          return keys;
        },
        (error: unknown) => {
          const cause = error instanceof IssuerUnreachable ? error : new IssuerUnreachable(String(error));
          cacheBounded(this.failed, issuer, { at: this.now(), error: cause });
          throw cause;
        },
      )
      .finally(() => this.pending.delete(issuer));
    this.pending.set(issuer, work);
    return work;
  }

  private async downloadKeySet(issuer: string): Promise<CachedKeySet> {
    const document = await this.fetchJson(toDiscoveryUrl(issuer), MAX_DOCUMENT_BYTES);
    if (document.issuer !== issuer) throw new IssuerUnreachable('Its discovery document is for another issuer.');
    const address = document.jwks_uri;
    if (typeof address !== 'string' || !URL.canParse(address) || !isTrustworthyUrl(new URL(address)))
      throw new IssuerUnreachable('Its discovery document has no https URL for its keys.');
    const set = await this.fetchJson(address, MAX_KEY_SET_BYTES);
    const keys = Array.isArray(set.keys) ? (set.keys as unknown[]).filter(isPublicKey) : [];
    if (keys.length === 0 || keys.length > MAX_KEYS)
      throw new IssuerUnreachable(`It publishes ${keys.length} usable public keys.`);
    const kids = new Set(keys.map(({ kid }) => kid));
    return { keys: createLocalJWKSet({ keys }), kids, at: this.now() };
  }

  private async fetchJson(url: string, maxBytes: number): Promise<Record<string, unknown>> {
    const headers = { accept: 'application/json' };
    const answer = await this.http
      .send({ method: 'GET', url, headers, timeoutMs: FETCH_TIMEOUT_MS, maxBytes })
      .catch((error: unknown) => {
        throw error instanceof OutgoingRequestError ? new IssuerUnreachable(error.message) : error;
      });
    if (answer.status !== 200)
      throw new IssuerUnreachable(`It answered the request for its keys with ${answer.status}.`);
    if (answer.truncated) throw new IssuerUnreachable(`Its answer is larger than ${maxBytes / 1024} KiB.`);
    const value = parseJson(answer.body.toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new IssuerUnreachable('It did not answer the request for its keys with a JSON object.');
    return value as Record<string, unknown>;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Rejects secret and private keys that an issuer publishes: any reader could sign with them. */
const isPublicKey = (key: unknown): key is JWK =>
  typeof key === 'object' && key !== null && ['RSA', 'EC', 'OKP'].includes((key as JWK).kty ?? '') && !('d' in key);

function cacheBounded<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const [oldest] of map) {
    if (map.size <= MAX_ISSUERS) return;
    map.delete(oldest);
  }
}
