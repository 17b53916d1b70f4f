import { OUTGOING_FAULTS, type OutgoingFault } from '../../common/network/outgoing-request.js';

/** Why an attempt did not deliver, for programs; beside what keeps an answer from coming. */
export const ANSWER_FAULTS = ['redirected', 'gone', 'too_many_requests', 'unexpected_status'] as const;

/** Why a delivery is dead without having been tried to its end. */
export const ENDED_CODES = ['webhook_disabled', 'address_changed', 'not_visible'] as const;

export const DELIVERY_CODES = [...OUTGOING_FAULTS, ...ANSWER_FAULTS, ...ENDED_CODES];
export type AttemptFault = OutgoingFault | (typeof ANSWER_FAULTS)[number];

/** What came of one call. */
export interface Attempt {
  at: Date;
  durationMs: number;
  /** Null: there was no answer. */
  status: number | null;
  /** Null: it was delivered. */
  fault: { code: AttemptFault; message: string } | null;
  /** The beginning of the body of the answer; null: there was no answer. */
  answer: string | null;
  truncated: boolean;
  /** What the receiver asked for, in ms. */
  retryAfterMs: number | null;
}

/** Why an answer with this status does not count as delivered; null: it does. @param location header of a redirect */
export function answerFault(status: number, location: string | undefined): Attempt['fault'] {
  if (status >= 200 && status < 300) return null;
  if (status === 410)
    return { code: 'gone', message: 'It answered 410: it wants no more messages, so the webhook was disabled.' };
  if (status === 429 || status === 503)
    return { code: 'too_many_requests', message: `It answered ${status}: it is too busy. It is tried again later.` };
  if (status >= 300 && status < 400) {
    const to = originOf(location);
    const where = to ? ` to ${to}` : '';
    const message = `It answered ${status}, a redirect${where}, and redirects are not followed. Give the webhook the address that it leads to.`;
    return { code: 'redirected', message };
  }
  return { code: 'unexpected_status', message: `It answered ${status}; what counts as delivered is 2xx.` };
}

/** Where a redirect leads, without its path and query, which may hold secrets. */
function originOf(location: string | undefined): string | null {
  if (!location || !URL.canParse(location)) return null;
  const { protocol, origin } = new URL(location);
  return protocol === 'http:' || protocol === 'https:' ? origin : null;
}

/** Bytes as a text that can be stored and shown: what is no UTF-8, and NUL, is replaced. */
export const shownText = (bytes: Buffer): string => bytes.toString('utf8').replaceAll('\0', '\uFFFD');
