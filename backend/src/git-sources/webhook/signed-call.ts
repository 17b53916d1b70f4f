import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface WebhookCall {
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: Buffer;
}

export interface VerifiedWebhookCall {
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
export function verifyWebhookCall(
  { headers, body }: WebhookCall,
  secret: string,
  now: number,
): VerifiedWebhookCall | null {
  const header = (name: string): string | null => {
    const value = headers[name];
    return typeof value === 'string' && value !== '' ? value : null;
  };
  const standardSignature = header('webhook-signature');
  if (standardSignature !== null) return verifyStandardWebhook(standardSignature, header, body, secret, now);
  const githubSignature = header('x-hub-signature-256');
  const plain = header('x-gitea-signature') ?? header('x-gogs-signature');
  const token = header('x-gitlab-token');
  const isVerified =
    githubSignature !== null
      ? isSameText(githubSignature, `sha256=${computeHmac(secret, body, 'hex')}`)
      : plain !== null
        ? isSameText(plain, computeHmac(secret, body, 'hex'))
        : token !== null && isSameText(token, secret);
  if (!isVerified) return null;
  return { key: createHash('sha256').update(body).digest(), push: isPushEvent(header) };
}

type ReadHeader = (name: string) => string | null;

function verifyStandardWebhook(
  signatures: string,
  header: ReadHeader,
  body: Buffer,
  secret: string,
  now: number,
): VerifiedWebhookCall | null {
  const id = header('webhook-id') ?? '';
  const timestamp = header('webhook-timestamp') ?? '';
  if (id === '' || id.length > 256 || !/^[0-9]{1,12}$/.test(timestamp)) return null;
  if (Math.abs(now - Number(timestamp)) > MAX_CLOCK_SKEW_SECONDS) return null;
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret);
  const expected = `v1,${computeHmac(key, Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]), 'base64')}`;
  // The header has several signatures while the secret is rotated.
  if (
    !signatures
      .split(' ')
      .slice(0, 10)
      .some((each) => isSameText(each, expected))
  )
    return null;
  return { key: createHash('sha256').update(`standard ${id}`).digest(), push: isPushEvent(header) };
}

/** A call without an event header counts as a push, because an unnecessary sync is harmless. */
function isPushEvent(header: ReadHeader): boolean {
  const event =
    header('x-github-event') ?? header('x-gitea-event') ?? header('x-gogs-event') ?? header('x-gitlab-event');
  return event === null || PUSH_EVENTS.includes(event.toLowerCase());
}

const computeHmac = (secret: string | Buffer, bytes: Buffer, form: 'hex' | 'base64'): string =>
  createHmac('sha256', secret).update(bytes).digest(form);

const isSameText = (one: string, other: string): boolean =>
  timingSafeEqual(createHash('sha256').update(one).digest(), createHash('sha256').update(other).digest());
