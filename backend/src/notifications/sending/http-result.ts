import type { IncomingHttpHeaders } from 'node:http';
import { oneLine } from '../messages/plain-text.js';
import { failed, type SendResult } from './send-result.js';

/** Most of an answer that is told. */
const MOST_SHOWN = 200;
/** A receiver is left alone for this long at the most because it says so, in seconds. */
const LONGEST_RETRY_AFTER = 60 * 60;

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * What an answer of a receiver means. Its own words are told: services say there what they miss.
 * @param host of the receiver
 * @param secret never told, should the answer repeat it
 */
export function httpResult(
  { status, headers, body }: Answer,
  host: string,
  secret: string | null,
  now: Date,
): SendResult {
  if (status >= 200 && status < 300) return { reached: [], fault: null };
  const words = told(body, secret);
  const said = `${host} answered ${status}${words ? ` (${words})` : ''}`;
  if (status >= 300 && status < 400)
    return failed(
      'redirected',
      `${said}: it sends callers elsewhere, which is not followed. Give the address itself.`,
      true,
    );
  if (status === 429)
    return failed('too_many', `${said}: it gets too many messages. It is tried again later.`, false, {
      retryAfterSeconds: retryAfter(headers['retry-after'], now),
    });
  if (status === 401 || status === 403)
    return failed(
      'login_refused',
      `${said}: it does not accept the address or the token. Give the rule new ones.`,
      true,
    );
  if (status === 404 || status === 410)
    return failed(
      'receiver_failed',
      `${said}: there is no such webhook or topic any more. Make one, and give the rule its address.`,
      true,
    );
  if (status >= 400 && status < 500 && status !== 408)
    return failed(
      'message_refused',
      `${said}: it does not take the message. Is the rule of the kind that this address is for?`,
      true,
    );
  return failed('receiver_failed', `${said}: it has trouble of its own.`, false);
}

function told(body: Buffer, secret: string | null): string {
  const words = oneLine(body.toString(), MOST_SHOWN);
  // A page for people says little, and a secret must not come back by a receiver that repeats what it was sent.
  if (words.startsWith('<') || (secret !== null && body.includes(secret))) return '';
  return words;
}

function retryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000;
  if (!Number.isFinite(seconds) || seconds <= 0) return undefined;
  return Math.min(Math.ceil(seconds), LONGEST_RETRY_AFTER);
}
