import { OUTGOING_FAULTS, type OutgoingFault } from '../../common/network/outgoing-request.js';

/** Failure codes of an attempt that got a response. Without a response, the codes are {@link OUTGOING_FAULTS}. */
export const ANSWER_FAULTS = ['redirected', 'gone', 'too_many_requests', 'unexpected_status'] as const;

/** Codes of deliveries that became dead before their last retry. */
export const ENDED_CODES = ['webhook_disabled', 'address_changed', 'not_visible'] as const;

export const DELIVERY_CODES = [...OUTGOING_FAULTS, ...ANSWER_FAULTS, ...ENDED_CODES];
export type AttemptFault = OutgoingFault | (typeof ANSWER_FAULTS)[number];

export interface Attempt {
  at: Date;
  durationMs: number;
  /** Null = no response. */
  status: number | null;
  /** Null = delivered. */
  fault: { code: AttemptFault; message: string } | null;
  /** Beginning of the response body; null = no response. */
  answer: string | null;
  truncated: boolean;
  /** Delay that the receiver requested, in ms; null = none. */
  retryAfterMs: number | null;
}

/**
 * Returns why a response with this status does not count as delivered; null = delivered. @param location header of a
 * redirect
 */
export function findAnswerFault(status: number, location: string | undefined): Attempt['fault'] {
  if (status >= 200 && status < 300) return null;
  if (status === 410) return { code: 'gone', message: 'It answered 410 (gone), so the webhook was disabled.' };
  if (status === 429 || status === 503)
    return { code: 'too_many_requests', message: `It answered ${status} (too many requests). Runward retries later.` };
  if (status >= 300 && status < 400) {
    const to = toOrigin(location);
    const where = to ? ` to ${to}` : '';
    const message = `It answered ${status}, a redirect${where}, and redirects are not followed. Set the webhook to the target address.`;
    return { code: 'redirected', message };
  }
  return { code: 'unexpected_status', message: `It answered ${status}; only 2xx counts as delivered.` };
}

/** Omits path and query of the redirect target, because they may contain secrets. */
function toOrigin(location: string | undefined): string | null {
  if (!location || !URL.canParse(location)) return null;
  const { protocol, origin } = new URL(location);
  return protocol === 'http:' || protocol === 'https:' ? origin : null;
}

/** Decodes UTF-8. Replaces invalid bytes, and NUL, which PostgreSQL cannot store. */
export const storableText = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD');
