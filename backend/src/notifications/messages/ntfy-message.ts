import type { Message } from './message.js';
import { truncateText, truncateToBytes } from './plain-text.js';

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
