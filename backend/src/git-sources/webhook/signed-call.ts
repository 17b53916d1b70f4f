import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface ForgeCall {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

export interface ProvenCall {
  /** Identifies the call, so that it is accepted only once. */
  key: Buffer;
  /** Whether the call reports a push, rather than a ping or another event. */
  push: boolean;
}

/** Maximum clock difference for calls with a signed time, in seconds. */
const MAX_CLOCK_SKEW_SECONDS = 300;
const PUSH_EVENTS = ['push', 'push hook', 'tag push hook', 'create', 'delete', 'push_event', 'system hook'];

/**
 * Verifies that the sender of a call knows the secret. Supported proofs:
 * - GitHub: `X-Hub-Signature-256`, HMAC over the body
 * - GitLab: `webhook-signature` with `webhook-id` and `webhook-timestamp` (Standard Webhooks), or the secret itself in
 *   `X-Gitlab-Token`
 * - Gitea, Forgejo, Gogs: `X-Gitea-Signature` or `X-Gogs-Signature`, HMAC over the body
 *
 * Only the strongest proof in the call counts.
 *
 * @param now in seconds
 * @returns null if the call has no valid proof
 */
export function provenCall({ headers, body }: ForgeCall, secret: string, now: number): ProvenCall | null {
  const header = (name: string): string | null => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const standardSignature = header('webhook-signature');
  if (standardSignature !== null) return standardCall(standardSignature, header, body, secret, now);
  const githubSignature = header('x-hub-signature-256');
  const plain = header('x-gitea-signature') ?? header('x-gogs-signature');
  const token = header('x-gitlab-token');
  const isVerified =
    githubSignature !== null
      ? same(githubSignature, `sha256=${hmac(secret, body, 'hex')}`)
      : plain !== null
        ? same(plain, hmac(secret, body, 'hex'))
        : token !== null && same(token, secret);
  if (!isVerified) return null;
  return { key: createHash('sha256').update(body).digest(), push: isPush(header) };
}

type Header = (name: string) => string | null;

function standardCall(
  signatures: string,
  header: Header,
  body: Buffer,
  secret: string,
  now: number,
): ProvenCall | null {
  const id = header('webhook-id') ?? '';
  const timestamp = header('webhook-timestamp') ?? '';
  if (id === '' || id.length > 256 || !/^[0-9]{1,12}$/.test(timestamp)) return null;
  if (Math.abs(now - Number(timestamp)) > MAX_CLOCK_SKEW_SECONDS) return null;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
  const expected = `v1,${hmac(key, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]), 'base64')}`;
  // The header has several signatures while the secret is rotated.
  if (
    !signatures
      .split(' ')
      .slice(0, 10)
      .some((each) => same(each, expected))
  )
    return null;
  return { key: createHash('sha256').update(`standard ${id}`).digest(), push: isPush(header) };
}

/** A call without an event header counts as a push, because an unnecessary sync is harmless. */
function isPush(header: Header): boolean {
  const event =
    header('x-github-event') ?? header('x-gitea-event') ?? header('x-gogs-event') ?? header('x-gitlab-event');
  return event === null || PUSH_EVENTS.includes(event.toLowerCase());
}

const hmac = (secret: string | Buffer, bytes: Buffer, form: 'hex' | 'base64'): string =>
  createHmac('sha256', secret).update(bytes).digest(form);

const same = (one: string, other: string): boolean =>
  timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
