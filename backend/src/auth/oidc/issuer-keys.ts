import { Injectable } from '@nestjs/common';
import { createLocalJWKSet, type JWK, type LocalJWKSet } from 'jose';
import { OutgoingHttp, OutgoingRequestError } from '../../common/network/outgoing-request.js';
import { discoveryUrl, isTrustworthy } from './issuer-url.js';

/** For each of the two calls that an issuer's keys take, in ms. */
const TIMEOUT_MS = 5_000;
const MOST_DOCUMENT = 64 * 1024;
const MOST_KEY_SET = 256 * 1024;
const MOST_KEYS = 100;
/** Keys are asked for anew after so long. */
const FRESH_MS = 10 * 60_000;
/** Where the issuer does not answer then, they still hold for so long. */
const STALE_MS = 60 * 60_000;
/** A key that is not among them, and an issuer that did not answer, are asked for again after so long. */
const AGAIN_MS = 5_000;
/** Issuers whose keys are kept. */
const MOST_ISSUERS = 500;

/** There are no keys of an issuer. The message tells people why. */
export class IssuerUnreachable extends Error {
  override readonly name = 'IssuerUnreachable';
}

interface Kept {
  keys: LocalJWKSet;
  kids: ReadonlySet<string | undefined>;
  at: number;
}

/**
 * The public keys of issuers, by what they publish of themselves. They are kept for a while; a token that names a key
 * which is not among them has them asked for anew, at most every few seconds, so that an issuer may change its keys at
 * any time and nobody has it called without end.
 */
@Injectable()
export class IssuerKeys {
  private readonly kept = new Map<string, Kept>();
  private readonly failed = new Map<string, { at: number; error: IssuerUnreachable }>();
  private readonly underWay = new Map<string, Promise<Kept>>();
  /** Replaced by tests. */
  now = (): number => performance.now();

  constructor(private readonly http: OutgoingHttp) {}

  /** @param kid the key that a token names. @throws IssuerUnreachable */
  async of(issuer: string, kid: string | undefined): Promise<LocalJWKSet> {
    const known = this.kept.get(issuer);
    const age = known ? this.now() - known.at : Infinity;
    if (known && (known.kids.has(kid) ? age < FRESH_MS : age < AGAIN_MS)) return known.keys;
    try {
      return (await this.fetched(issuer)).keys;
    } catch (error) {
      if (known && age < STALE_MS) return known.keys;
      throw error;
    }
  }

  /** However many ask at once, the issuer is called once. */
  private fetched(issuer: string): Promise<Kept> {
    const failure = this.failed.get(issuer);
    if (failure && this.now() - failure.at < AGAIN_MS) return Promise.reject(failure.error);
    const running = this.underWay.get(issuer);
    if (running) return running;
    const work = this.fetch(issuer)
      .then(
        (keys) => {
          this.failed.delete(issuer);
          keep(this.kept, issuer, keys);
          return keys;
        },
        (error: unknown) => {
          const told = error instanceof IssuerUnreachable ? error : new IssuerUnreachable(String(error));
          keep(this.failed, issuer, { at: this.now(), error: told });
          throw told;
        },
      )
      .finally(() => this.underWay.delete(issuer));
    this.underWay.set(issuer, work);
    return work;
  }

  private async fetch(issuer: string): Promise<Kept> {
    const document = await this.json(discoveryUrl(issuer), MOST_DOCUMENT);
    if (document.issuer !== issuer)
      throw new IssuerUnreachable('Its discovery document names another issuer than the one that was asked.');
    const address = document.jwks_uri;
    if (typeof address !== 'string' || !URL.canParse(address) || !isTrustworthy(new URL(address)))
      throw new IssuerUnreachable('Its discovery document names no https address of its keys.');
    const set = await this.json(address, MOST_KEY_SET);
    const keys = Array.isArray(set.keys) ? (set.keys as unknown[]).filter(isPublicKey) : [];
    if (keys.length === 0 || keys.length > MOST_KEYS)
      throw new IssuerUnreachable(`It publishes ${keys.length} keys that signatures can be checked with.`);
    const kids = new Set(keys.map(({ kid }) => kid));
    return { keys: createLocalJWKSet({ keys }), kids, at: this.now() };
  }

  private async json(url: string, mostBytes: number): Promise<Record<string, unknown>> {
    const headers = { accept: 'application/json' };
    const answer = await this.http
      .send({ method: 'GET', url, headers, timeoutMs: TIMEOUT_MS, mostBytes })
      .catch((error: unknown) => {
        throw error instanceof OutgoingRequestError ? new IssuerUnreachable(error.message) : error;
      });
    if (answer.status !== 200) throw new IssuerUnreachable(`It answers ${answer.status} where its keys are asked for.`);
    if (answer.truncated) throw new IssuerUnreachable(`It answers more than ${mostBytes / 1024} KiB.`);
    const value = parsed(answer.body.toString('utf8'));
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new IssuerUnreachable('It answers what is no JSON object where its keys are asked for.');
    return value as Record<string, unknown>;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A secret among the keys would let anybody sign who reads it. */
const isPublicKey = (key: unknown): key is JWK =>
  typeof key === 'object' && key !== null && ['RSA', 'EC', 'OKP'].includes((key as JWK).kty ?? '') && !('d' in key);

/** The oldest make room. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  for (const [oldest] of map) {
    if (map.size <= MOST_ISSUERS) return;
    map.delete(oldest);
  }
}
