export const SEND_FAULTS = [
  'not_configured',
  'not_set',
  'no_recipient',
  'bad_url',
  'not_resolved',
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
  /** What happened, and what to do about it. Contains no secret. */
  text: string;
  /** A retry cannot succeed before a person has changed something. */
  permanent: boolean;
  retryAfterSeconds?: number;
}

export interface SendResult {
  /** Recipients that were reached, by their listed names; empty if the channel has only one. */
  reached: readonly string[];
  /** Null: all were reached. */
  fault: SendFault | null;
}

export const failed = (
  code: SendFaultCode,
  text: string,
  permanent: boolean,
  more: Pick<SendFault, 'retryAfterSeconds'> = {},
): SendResult => ({ reached: [], fault: { code, text, permanent, ...more } });

/** Result of a message sent in several parts. A temporary error has precedence, because it is retried. */
export function resultOfAll(results: readonly SendResult[]): SendResult {
  const faults = results.flatMap(({ fault }) => fault ?? []);
  const fault = faults.find(({ permanent }) => !permanent) ?? faults[0] ?? null;
  return { reached: results.flatMap(({ reached }) => reached), fault };
}
