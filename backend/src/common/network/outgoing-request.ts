import { readFile } from 'node:fs/promises';
import {
  Agent as PlainAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
} from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { getCACertificates } from 'node:tls';
import { toCanonicalAddress } from './host-address.js';
import { OutgoingAddressError, type OutgoingAddresses } from './outgoing-addresses.js';
import { findProxy } from './outgoing-proxy.js';

export interface OutgoingRequest {
  method: 'GET' | 'POST' | 'PUT';
  /** URL with `http:` or `https:`, without user and password. */
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | Buffer;
  /** Time limit from name resolution to the last byte read, in ms. */
  timeoutMs: number;
  maxBytes: number;
  signal?: AbortSignal;
}

export interface OutgoingAnswer {
  /** Any HTTP status, including 3xx, because redirects are not followed. */
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  truncated: boolean;
  durationMs: number;
}

export const OUTGOING_FAULTS = [
  'bad_url',
  'host_not_found',
  'address_refused',
  'connection_refused',
  'tls_failed',
  'timed_out',
  'aborted',
  'connection_lost',
] as const;
export type OutgoingFault = (typeof OUTGOING_FAULTS)[number];

/** Reason why there is no response. The message is for people and omits path and query of the URL. */
export class OutgoingRequestError extends Error {
  override readonly name = 'OutgoingRequestError';

  constructor(
    readonly code: OutgoingFault,
    message: string,
  ) {
    super(message);
  }
}

const UNREACHABLE_ERROR_CODES = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EHOSTDOWN',
  'ENETDOWN',
]);
const TLS_ERROR_PATTERN =
  /^(?:ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$|HOSTNAME_MISMATCH$|INVALID_CA$)/;
const MAX_RESPONSE_HEAD_BYTES = 16 * 1024;

/**
 * Calls URLs that tenants configure: webhooks, token issuers, chat services. Resolves the name once, requires that all
 * addresses are allowed (`OutgoingAddresses`), and connects only to these. This prevents DNS rebinding. If the
 * environment names a proxy, the proxy connects to the name. Does not follow redirects.
 */
export class OutgoingHttp {
  private authorities: Promise<string[]> | undefined;

  /** @param caFile certificates (PEM) to trust in addition to those of Node.js; undefined = none */
  constructor(
    readonly addresses: OutgoingAddresses,
    private readonly caFile?: string,
  ) {}

  /** @throws OutgoingRequestError when no complete response arrived */
  async send(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const url = parseOutgoingUrl(request.url);
    const startedAt = performance.now();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), request.timeoutMs);
    const signal = request.signal ? AbortSignal.any([limit.signal, request.signal]) : limit.signal;
    try {
      const host = toCanonicalAddress(url.hostname);
      const proxy = findProxy(request.url);
      const found = await rejectOnAbort(this.addresses.resolveAllowed(host, proxy !== null), signal);
      const ca = url.protocol === 'https:' ? await this.readTrustedCertificates() : undefined;
      const answer = await sendToAddress(url, request, {
        ...(proxy === null ? { lookup: createFixedLookup(found) } : { proxy }),
        ...{ ca, signal },
      });
      return { ...answer, durationMs: Math.round(performance.now() - startedAt) };
    } catch (error) {
      throw failureOf(error, url, limit.signal.aborted ? request.timeoutMs : null, signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  }

  private readTrustedCertificates(): Promise<string[]> {
    this.authorities ??= this.caFile
      ? readFile(this.caFile, 'utf8').then((pem) => [...getCACertificates('default'), pem])
      : Promise.resolve(getCACertificates('default'));
    // The file may become readable later, so the next call reads it again.
    this.authorities.catch(() => (this.authorities = undefined));
    return this.authorities;
  }
}

/**
 * Parses a URL that may be called.
 *
 * @throws OutgoingRequestError `bad_url`
 */
export function parseOutgoingUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const fault = url === null ? 'is invalid' : findUrlFault(url);
  if (url === null || fault !== null)
    throw new OutgoingRequestError(
      'bad_url',
      `The address ${fault}: it must look like https://hooks.example.com/path.`,
    );
  return url;
}

function findUrlFault(url: URL): string | null {
  if (!['http:', 'https:'].includes(url.protocol)) return `begins with ${url.protocol}`;
  if (url.username !== '' || url.password !== '') return 'contains a user or a password';
  return url.hostname === '' ? 'names no host' : null;
}

interface RequestContext {
  /** Undefined if a proxy connects. */
  lookup?: LookupFunction;
  proxy?: string;
  ca: string[] | undefined;
  signal: AbortSignal;
}

function sendToAddress(
  url: URL,
  { method, headers, body, maxBytes }: OutgoingRequest,
  { lookup, proxy, ca, signal }: RequestContext,
): Promise<Omit<OutgoingAnswer, 'durationMs'>> {
  return new Promise((resolve, reject) => {
    const options = { method, headers, lookup, signal, maxHeaderSize: MAX_RESPONSE_HEAD_BYTES } as const;
    const proxyEnv = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
    const onResponse = (answer: IncomingMessage) => {
      const status = answer.statusCode ?? 0;
      readBodyUpTo(answer, request, maxBytes).then(
        (read) => resolve({ status, headers: answer.headers, ...read }),
        reject,
      );
    };
    const request = ca
      ? tlsRequest(url, { ...options, ca, agent: proxy ? new TlsAgent({ proxyEnv }) : false }, onResponse)
      : plainRequest(url, { ...options, agent: proxy ? new PlainAgent({ proxyEnv }) : false }, onResponse);
    request.on('error', reject);
    request.end(body);
  });
}

async function readBodyUpTo(
  answer: IncomingMessage,
  request: ClientRequest,
  limit: number,
): Promise<{ body: Buffer; truncated: boolean }> {
  const parts: Buffer[] = [];
  let left = limit;
  for await (const part of answer as AsyncIterable<Buffer>) {
    parts.push(part.subarray(0, left));
    left -= part.length;
    if (left < 0) break;
  }
  request.destroy();
  return { body: Buffer.concat(parts), truncated: left < 0 };
}

/** Returns a DNS lookup function that answers only with these addresses. */
function createFixedLookup(addresses: readonly string[]): LookupFunction {
  const all = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return (_, { all: wantsAll, family }, answer) => {
    const request = all.filter((each) => family === 0 || family === undefined || each.family === Number(family));
    const [first] = request;
    if (!first) answer(Object.assign(new Error('The host has no IP address.'), { code: 'EADDRNOTAVAIL' }), '', 0);
    else if (wantsAll) answer(null, request);
    else answer(null, first.address, first.family);
  };
}

/** Rejects when the signal aborts. The lookup has its own time limit, but the call may have a shorter one. */
function rejectOnAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new Error('It was ended.'));
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function failureOf(error: unknown, url: URL, limitMs: number | null, aborted: boolean): OutgoingRequestError {
  const where = isIP(toCanonicalAddress(url.hostname)) === 0 ? url.host : `the address ${url.host}`;
  const toRequestError = (code: OutgoingFault, text: string) => new OutgoingRequestError(code, text);
  if (error instanceof OutgoingRequestError) return error;
  if (error instanceof OutgoingAddressError) return toRequestError(error.code, error.message);
  if (limitMs !== null) return toRequestError('timed_out', `${where} did not answer within ${limitMs / 1000} s.`);
  if (aborted) return toRequestError('aborted', `The call to ${where} was cancelled before an answer arrived.`);
  const code = readErrorCode(error);
  if (UNREACHABLE_ERROR_CODES.has(code))
    return toRequestError('connection_refused', `${where} does not accept connections (${code}). Check the address.`);
  if (TLS_ERROR_PATTERN.test(code))
    return toRequestError('tls_failed', `The certificate of ${where} could not be trusted, or TLS failed (${code}).`);
  return toRequestError(
    'connection_lost',
    `The connection to ${where} ended before an answer arrived (${code || 'closed'}).`,
  );
}

function readErrorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { code, errors } = error as { code?: unknown; errors?: unknown[] };
  if (typeof code === 'string') return code;
  return Array.isArray(errors) ? readErrorCode(errors[0]) : '';
}
