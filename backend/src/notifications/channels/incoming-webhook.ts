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
  return by.post({ url, body, secrets: findSecrets(url) });
}

/** A shorter part, such as `v1`, is probably in any response. */
const MIN_SECRET_LENGTH = 8;

/** Returns the parts of an address that only its users know: path and query, and each long part of them, also decoded. */
export function findSecrets(address: string): string[] {
  const url = URL.parse(address);
  if (!url) return [];
  const parts = [...url.pathname.split('/'), ...url.search.slice(1).split(/[&=]/)];
  const long = parts.filter((part) => part.length >= MIN_SECRET_LENGTH);
  const secrets = [url.pathname, url.search.slice(1), ...long].filter((part) => part !== '' && part !== '/');
  return [...new Set([...secrets, ...secrets.map(decode)])];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
