import type { Message } from './message.js';
import { cut, withinBytes } from './plain-text.js';

/** A longer text is made an attachment by the server; it leaves room for the title. */
const MOST_BYTES = 3_500;
/** What an icon stands for, by the names that ntfy has for emoji. */
const TAGS: Readonly<Record<Message['mood'], string>> = {
  bad: 'rotating_light',
  good: 'white_check_mark',
  asks: 'raised_hand',
  neutral: 'information_source',
};
const HIGH = 4;
const USUAL = 3;

/**
 * The body for an ntfy server, published as JSON to its root: titles in headers would have to do without most letters.
 * @param id the same for each time that this message is sent: newer servers show the last of them only
 */
export function ntfyMessage(message: Message, topic: string, id: string): object {
  const text = [
    message.text,
    ...message.facts.map(({ label, value }) => `${label}: ${value}`),
    ...(message.lines.length > 0 ? ['', ...message.lines] : []),
  ].join('\n');
  return {
    topic,
    title: cut(message.subject, 250),
    message: withinBytes(text, MOST_BYTES),
    priority: message.mood === 'bad' || message.mood === 'asks' ? HIGH : USUAL,
    tags: [TAGS[message.mood]],
    click: message.url,
    sequence_id: id,
  };
}
