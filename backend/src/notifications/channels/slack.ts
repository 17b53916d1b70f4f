import type { Message } from '../messages/message.js';
import type { NotificationChannel } from './channel.js';
import { postToWebhook, WEBHOOK_FIELD } from './incoming-webhook.js';

export const SLACK = {
  type: 'slack',
  label: 'Slack, Mattermost, Rocket.Chat',
  fields: [WEBHOOK_FIELD],
  help: 'In Slack: an app with an incoming webhook. In Mattermost and Rocket.Chat: Integrations, Incoming webhook.',
  summary: '{host}',
  send: (to, { message }, by) => postToWebhook(to, slackMessage(message), by),
} as const satisfies NotificationChannel;

const COLOURS_BY_MOOD: Readonly<Record<Message['mood'], string>> = {
  bad: '#c92a2a',
  good: '#2b8a3e',
  asks: '#e67700',
  neutral: '#495057',
};
/** Zero-width space. It breaks up mentions and closing fences. */
const ZERO_WIDTH_SPACE = '\u200b';

/**
 * Escapes `&`, `<` and `>` as Slack requires. Breaks up `@all`, which Mattermost and Rocket.Chat interpret as a mention
 * of all users.
 */
export const slackText = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/@(?=[\p{L}\p{N}_])/gu, `@${ZERO_WIDTH_SPACE}`);

/** Puts lines in a code fence that none of them can close. */
const toCodeBlock = (lines: readonly string[]): string =>
  `\`\`\`\n${lines.map((line) => slackText(line).replaceAll('```', `\`${ZERO_WIDTH_SPACE}\`${ZERO_WIDTH_SPACE}\``)).join('\n')}\n\`\`\``;

/**
 * Returns the body for an incoming webhook of Slack, Mattermost or Rocket.Chat. All three show its text and
 * attachments. Only the attachment with the output is interpreted as markup.
 */
export const slackMessage = (message: Message): object => ({
  text: slackText(message.subject),
  mrkdwn: false,
  attachments: [
    {
      fallback: slackText(`${message.text} ${message.url}`),
      color: COLOURS_BY_MOOD[message.mood],
      title: slackText(message.linkText),
      title_link: message.url,
      text: slackText(message.text),
      fields: message.facts.map(({ label, value }) => ({
        title: slackText(label),
        value: slackText(value),
        short: value.length < 40,
      })),
      mrkdwn_in: [],
    },
    ...(message.lines.length === 0
      ? []
      : [
          { fallback: '', color: COLOURS_BY_MOOD[message.mood], text: toCodeBlock(message.lines), mrkdwn_in: ['text'] },
        ]),
  ],
});
