import type { IncomingHttpHeaders } from 'node:http';
import { toOneLine } from '../messages/plain-text.js';
import { failedResult, type SendResult } from './send-result.js';

const MAX_QUOTED = 200;
const MAX_RETRY_AFTER_SECONDS = 60 * 60;

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/**
 * Interprets the response of a receiver. Quotes the response, because services explain errors there.
 * @param host host of the receiver
 * @param secrets a response that contains one of them is not quoted
 */
export function toSendResult(
  { status, headers, body }: Answer,
  host: string,
  secrets: readonly string[],
  now: Date,
): SendResult {
  if (status >= 200 && status < 300) return { reached: [], fault: null };
  const words = quoteBody(body, secrets);
  const responseText = `${host} answered ${status}${words ? ` (${words})` : ''}`;
  if (status >= 300 && status < 400)
    return failedResult('redirected', `${responseText}: redirects are not followed. Set the target address.`, true);
  if (status === 429)
    return failedResult('too_many', `${responseText}: it receives too many messages. Runward retries later.`, false, {
      retryAfterSeconds: parseRetryAfter(headers['retry-after'], now),
    });
  if (status === 401 || status === 403)
    return failedResult(
      'login_refused',
      `${responseText}: it does not accept the address or the token. Set new ones in the rule.`,
      true,
    );
  if (status === 404 || status === 410)
    return failedResult(
      'receiver_failed',
      `${responseText}: the webhook or topic no longer exists. Create one, and set its address in the rule.`,
      true,
    );
  if (status >= 400 && status < 500 && status !== 408)
    return failedResult(
      'message_refused',
      `${responseText}: it does not accept the message. Check that the rule has the channel type of this address.`,
      true,
    );
  return failedResult('receiver_failed', `${responseText}: it has an internal error.`, false);
}

function quoteBody(body: Buffer, secrets: readonly string[]): string {
  const words = toOneLine(body.toString(), MAX_QUOTED);
  // Not quoted: HTML pages explain little, and a receiver may echo the secret from the request.
  if (words.startsWith('<') || secrets.some((secret) => body.includes(secret))) return '';
  return words;
}

function parseRetryAfter(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - now.getTime()) / 1000;
  if (!Number.isFinite(seconds) || seconds <= 0) return undefined;
  return Math.min(Math.ceil(seconds), MAX_RETRY_AFTER_SECONDS);
}
