import type { Message } from '../messages/message.js';
import { truncateText } from '../messages/plain-text.js';
import type { MailContent } from '../sending/mail-sender.js';
import { failedResult } from '../sending/send-result.js';
import type { NotificationChannel } from './channel.js';

export const EMAIL = {
  type: 'email',
  label: 'E-mail',
  fields: [
    {
      name: 'to',
      kind: 'recipients',
      required: true,
      description: 'member IDs, who get it while they can see the environment, and email addresses.',
      shownAs: 'member IDs and email addresses',
      example: 'ops@example.org',
      missing: 'Send at least one recipient: member IDs or email addresses.',
      label: 'Recipients',
      noun: 'recipients',
    },
  ],
  summary: '{to}',
  async send({ recipients }, { id, thread, ruleName, message }, by) {
    if (!recipients?.length)
      return failedResult('no_recipient', 'None of the recipients exists and can see the environment.', true);
    return by.mail({ id, thread, to: recipients, ...mailContent(message, ruleName) });
  },
} as const satisfies NotificationChannel;

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');

const toFooter = (ruleName: string): string => `Sent by the notification rule "${ruleName}" of Runward.`;

/** Returns the mail as plain text, and the same content as HTML without external resources. */
export function mailContent(message: Message, ruleName: string): MailContent {
  const footer = toFooter(ruleName);
  const text = [
    message.text,
    '',
    ...message.facts.map(({ label, value }) => `${label}: ${value}`),
    ...(message.lines.length > 0 ? ['', ...message.lines.map((line) => `    ${line}`)] : []),
    '',
    `${message.linkText}: ${message.url}`,
    '',
    '-- ',
    footer,
    '',
  ].join('\n');
  const rows = message.facts.map(
    ({ label, value }) =>
      `<tr><th align="left" valign="top" style="padding:2px 16px 2px 0">${escapeHtml(label)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  const lines = message.lines.map(escapeHtml).join('\n');
  const html = [
    '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"></head><body style="font-family:sans-serif;font-size:14px">',
    `<p>${escapeHtml(message.text)}</p>`,
    rows.length > 0 ? `<table cellspacing="0" cellpadding="0">${rows.join('')}</table>` : '',
    lines ? `<pre style="white-space:pre-wrap;background:#f1f3f5;padding:8px">${lines}</pre>` : '',
    `<p><a href="${escapeHtml(message.url)}">${escapeHtml(message.linkText)}</a></p>`,
    `<p style="color:#495057;font-size:12px">${escapeHtml(footer)}</p></body></html>`,
  ].join('\n');
  return { subject: truncateText(`[Runward] ${message.subject}`, 250), text, html };
}
