import type { Message } from '../messages/message.js';
import { truncateText, truncateToBytes } from '../messages/plain-text.js';
import { channelFault, type NotificationChannel } from './channel.js';

export const NTFY = {
  type: 'ntfy',
  label: 'ntfy',
  fields: [
    {
      name: 'url',
      kind: 'address',
      required: true,
      description: 'address of the server.',
      shownAs: 'address of the server',
      missing: 'Send the address of the ntfy server, such as https://ntfy.sh.',
      label: 'Server',
      noun: 'server URL',
      placeholder: 'https://ntfy.sh',
    },
    {
      name: 'topic',
      kind: 'text',
      required: true,
      pattern: /^[-_A-Za-z0-9]{1,64}$/,
      patternMessage: 'must have 1 to 64 letters, digits, - or _',
      description: 'topic that its users subscribe to.',
      example: 'runward-production',
      missing: 'Send the topic that users subscribe to.',
      label: 'Topic',
      noun: 'topic',
      hint: 'Anyone who knows the topic can read it, unless the server protects it.',
    },
    {
      name: 'token',
      kind: 'text',
      required: false,
      secret: true,
      pattern: /^[\x21-\x7e]{1,500}$/,
      patternMessage: 'must have 1 to 500 visible characters',
      description: 'access token, which is never shown again. Null = none; omit it in a change to keep it.',
      example: 'tk_a-token-that-may-publish',
      missing: 'Send the access token.',
      label: 'Access token',
      noun: 'token',
      hint: 'Only for topics with restricted publishing.',
      storedHint: 'A stored token is in use and not shown. It stays unless you enter another token or server.',
    },
  ],
  summary: '{topic} on {host}',
  validate: ({ url }) => {
    const { search, hash } = new URL(String(url));
    if (search === '' && hash === '') return [];
    return [channelFault('url', 'invalid_url', 'Send only the address of the server, without a query.')];
  },
  send({ channel, secret: token }, { id, message }, by) {
    const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
    const body = ntfyMessage(message, String(channel.topic), id);
    return by.post({ url: String(channel.url), body, headers, secrets: token === null ? [] : [token] });
  },
} as const satisfies NotificationChannel;

/** The ntfy server turns longer texts into an attachment. The title needs the remaining bytes. */
const MAX_TEXT_BYTES = 3_500;
const TAGS_BY_MOOD: Readonly<Record<Message['mood'], string>> = {
  bad: 'rotating_light',
  good: 'white_check_mark',
  asks: 'raised_hand',
  neutral: 'information_source',
};
const HIGH_PRIORITY = 4;
const DEFAULT_PRIORITY = 3;

/**
 * Returns the body for an ntfy server. It is published as JSON to the server's root, because titles in headers support
 * few characters.
 * @param id the same for each attempt to send this message: newer servers then show only the latest attempt
 */
export function ntfyMessage(message: Message, topic: string, id: string): object {
  const text = [
    message.text,
    ...message.facts.map(({ label, value }) => `${label}: ${value}`),
    ...(message.lines.length > 0 ? ['', ...message.lines] : []),
  ].join('\n');
  return {
    topic,
    title: truncateText(message.subject, 250),
    message: truncateToBytes(text, MAX_TEXT_BYTES),
    priority: message.mood === 'bad' || message.mood === 'asks' ? HIGH_PRIORITY : DEFAULT_PRIORITY,
    tags: [TAGS_BY_MOOD[message.mood]],
    click: message.url,
    sequence_id: id,
  };
}
