import { failedResult, type SendResult } from '../sending/send-result.js';
import type { ChannelField, Destination, Transports } from './channel.js';

/** Address that accepts messages from everyone who knows it. */
export const WEBHOOK_FIELD = {
  name: 'url',
  kind: 'address',
  required: true,
  secret: true,
  description: 'address of the incoming webhook, which is never shown again; omit it in a change to keep it.',
  example: 'https://hooks.example.com/services/T0/B0/secret',
  missing: 'Send the address of the incoming webhook.',
  label: 'Incoming webhook URL',
  noun: 'webhook URL',
  placeholder: 'https://…',
  hint: 'Anyone with this URL can post messages. It is stored encrypted and never shown again.',
  storedHint: 'A stored URL at {host} is in use and not shown. Leave empty to keep it.',
} as const satisfies ChannelField;

export async function postToWebhook({ secret: url }: Destination, body: object, by: Transports): Promise<SendResult> {
  if (url === null) return failedResult('not_set', 'The rule has no address. Set one.', true);
  const path = URL.parse(url)?.pathname;
  return by.post({ url, body, secret: path === undefined || path === '/' ? null : path });
}
