/** Why a message did not come to where it should, for programs. */
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
  /** What happened, and what to do about it. It holds no secret. */
  text: string;
  /** Trying again is of no use before somebody has changed something. */
  permanent: boolean;
  /** The receiver asks to be left alone for so long. */
  retryAfterSeconds?: number;
}

export interface SendResult {
  /** Recipients that it has come to, by the names that were given; where there is only one, that is empty. */
  reached: readonly string[];
  /** Null: it has come to all. */
  fault: SendFault | null;
}

export const failed = (
  code: SendFaultCode,
  text: string,
  permanent: boolean,
  more: Pick<SendFault, 'retryAfterSeconds'> = {},
): SendResult => ({ reached: [], fault: { code, text, permanent, ...more } });

/** What sending a message in several parts came to. What may still succeed is tried again, so its fault counts first. */
export function resultOfAll(results: readonly SendResult[]): SendResult {
  const faults = results.flatMap(({ fault }) => fault ?? []);
  const fault = faults.find(({ permanent }) => !permanent) ?? faults[0] ?? null;
  return { reached: results.flatMap(({ reached }) => reached), fault };
}
