import type { ProblemItem } from '../../common/errors/problem-item.js';
import type { Message } from '../messages/message.js';
import type { Mail } from '../sending/mail-sender.js';
import type { SendResult } from '../sending/send-result.js';

/**
 * Field of a channel. Requests, responses, validation and the form are built from it. If several channels have a field
 * of the same name, its `kind` and `pattern` must be the same.
 */
export type ChannelField = {
  required: boolean;
  /** Encrypted and never shown again. A channel has at most one such field. */
  secret?: true;
  /** Meaning of the field in a request, and how it differs in a change. */
  description: string;
  /** Meaning of the field in a response, if the name alone does not explain it. */
  shownAs?: string;
  example?: string;
  /** Advice if a required field is missing. */
  missing: string;
  /** Texts of the form: the noun completes "Enter the …". */
  label: string;
  noun: string;
  placeholder?: string;
  hint?: string;
  /** Hint while a value of a secret field is stored. `{host}` = its host. */
  storedHint?: string;
} & (
  | { name: 'to'; kind: 'recipients' }
  | { name: string; kind: 'address' }
  /** `patternMessage` follows the name of the field. */
  | { name: string; kind: 'text'; pattern: RegExp; patternMessage: string }
);

/** Unencrypted part of a channel: fields that are not secret, and host and port of its address. */
export interface StoredChannel {
  to?: string[];
  host?: string;
  [field: string]: string | string[] | undefined;
}

export interface Destination<Type extends string = string> {
  type: Type;
  channel: StoredChannel;
  /** Value of the secret field; null = not set. */
  secret: string | null;
  /** Mail addresses; null = the channel has no recipients. */
  recipients: readonly string[] | null;
}

export interface Sending {
  id: string;
  /** Subject that several messages share, such as a run; null: none. */
  thread: string | null;
  ruleName: string;
  message: Message;
}

export interface Transports {
  /** @param request.secrets texts that show that a response repeats the request; it is then not quoted */
  post(request: {
    url: string;
    body: object;
    headers?: Record<string, string>;
    secrets: readonly string[];
  }): Promise<SendResult>;
  mail(mail: Mail): Promise<SendResult>;
}

/** Kind of notification channel. `channel-list.ts` lists all of them. */
export interface NotificationChannel<Type extends string = string> {
  /** Name in the API and in stored rules. Never changes. */
  type: Type;
  label: string;
  fields: readonly ChannelField[];
  /** Hint below the fields of the form. */
  help?: string;
  /** Short description of a rule's channel: text with `{field}` and `{host}`. */
  summary: string;
  /** Rules beyond those of the fields. Called only with values that are valid for their fields. */
  validate?(channel: StoredChannel): ProblemItem[];
  /** Must not reject. */
  send(to: Destination, sending: Sending, by: Transports): Promise<SendResult>;
}

export const channelFault = (field: string, code: ProblemItem['code'], message: string): ProblemItem => ({
  path: `/channel/${field}`,
  code,
  message,
});
