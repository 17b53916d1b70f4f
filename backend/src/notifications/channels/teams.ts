import type { Message } from '../messages/message.js';
import type { NotificationChannel } from './channel.js';
import { postToWebhook, WEBHOOK_FIELD } from './incoming-webhook.js';

export const TEAMS = {
  type: 'teams',
  label: 'Microsoft Teams',
  fields: [WEBHOOK_FIELD],
  help: 'In Teams: Workflows, “Post to a channel when a webhook request is received”.',
  summary: '{host}',
  send: (to, { message }, by) => postToWebhook(to, teamsMessage(message), by),
} as const satisfies NotificationChannel;

const COLOURS_BY_MOOD: Readonly<Record<Message['mood'], string>> = {
  bad: 'Attention',
  good: 'Good',
  asks: 'Warning',
  neutral: 'Default',
};

/** Literal text. `TextBlock` and `FactSet` would interpret markup. */
const run = (text: string, more: object = {}) => ({ type: 'TextRun', text, ...more });
const block = (inlines: object[], more: object = {}) => ({ type: 'RichTextBlock', inlines, ...more });

/** Returns a message with an Adaptive Card, for a workflow of Microsoft Teams that posts the body of its webhook. */
export const teamsMessage = (message: Message): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        msteams: { width: 'Full' },
        fallbackText: `${message.subject} ${message.url}`,
        body: [
          block([run(message.subject, { weight: 'Bolder', size: 'Medium', color: COLOURS_BY_MOOD[message.mood] })]),
          block([run(message.text)], { spacing: 'Small' }),
          ...message.facts.map(({ label, value }) =>
            block([run(`${label}: `, { weight: 'Bolder' }), run(value)], { spacing: 'None' }),
          ),
          ...message.lines.map((line, index) =>
            block([run(line === '' ? ' ' : line, { fontType: 'Monospace', size: 'Small' })], {
              spacing: index === 0 ? 'Medium' : 'None',
              separator: index === 0,
            }),
          ),
        ],
        actions: [{ type: 'Action.OpenUrl', title: message.linkText, url: message.url }],
      },
    },
  ],
});
