export const SEND_FAULTS = [
  'not_configured',
  'not_set',
  'no_recipient',
  'bad_url',
  'host_not_found',
  'address_refused',
  'connection_refused',
  'tls_failed',
  'login_refused',
  'sender_refused',
  'recipient_refused',
  'message_refused',
  'redirected',
  'too_many',
  'receiver_failed',
  'timed_out',
  'connection_lost',
  'failed',
] as const;
export type SendFaultCode = (typeof SEND_FAULTS)[number];

export interface SendFault {
  code: SendFaultCode;
  /** What happened, and what to do about it. Never contains a secret. */
  text: string;
  /** Whether every retry would fail until a person changes something. */
  permanent: boolean;
  retryAfterSeconds?: number;
}

export interface SendResult {
  /** Reached recipients, as named in the request; empty if the channel has only one recipient. */
  reached: readonly string[];
  /** Null: all recipients were reached. */
  fault: SendFault | null;
}

export const failedResult = (
  code: SendFaultCode,
  text: string,
  permanent: boolean,
  more: Pick<SendFault, 'retryAfterSeconds'> = {},
): SendResult => ({ reached: [], fault: { code, text, permanent, ...more } });

/**
 * Combines the results of a message that was sent in several parts. A temporary error takes precedence over a permanent
 * one, because it is retried.
 */
export function combineResults(results: readonly SendResult[]): SendResult {
  const faults = results.flatMap(({ fault }) => fault ?? []);
  const fault = faults.find(({ permanent }) => !permanent) ?? faults[0] ?? null;
  return { reached: results.flatMap(({ reached }) => reached), fault };
}
