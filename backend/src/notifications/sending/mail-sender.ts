import { readFile } from 'node:fs/promises';
import { getCACertificates } from 'node:tls';
import { Inject, Injectable } from '@nestjs/common';
import { createTransport } from 'nodemailer';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import type { SmtpSettings } from '../../common/settings/smtp-settings.js';
import { failedResult, type SendResult } from './send-result.js';
import { type SmtpError, smtpFault } from './smtp-fault.js';

/** Time limits for lookup, connection, greeting, and each command of a mail server, in ms. */
const SMTP_TIMEOUTS = { dnsTimeout: 5_000, connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 15_000 };
export const MAIL_MS = 30_000;

export interface MailContent {
  subject: string;
  text: string;
  html: string;
}

export interface Mail extends MailContent {
  /** The same in each attempt to send this message, so that mail programs show it only once. */
  id: string;
  /** Shared by mails about one subject, so that mail programs group them; null: none. */
  thread: string | null;
  to: readonly string[];
}

@Injectable()
export class MailSender {
  constructor(@Inject(RUNTIME) private readonly runtime: Runtime) {}

  get isConfigured(): boolean {
    return this.runtime.settings.smtp !== undefined;
  }

  /** Never rejects. Hides the recipients from each other. @param timeLimitMs time limit in total */
  async send(mail: Mail, timeLimitMs = MAIL_MS): Promise<SendResult> {
    const { smtp } = this.runtime.settings;
    if (!smtp)
      return failedResult(
        'not_configured',
        'This installation cannot send mail. Ask its operator to set RUNWARD_SMTP_URL and RUNWARD_SMTP_FROM.',
        true,
      );
    const server = `${smtp.host}:${smtp.port}`;
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), timeLimitMs);
    try {
      const { accepted, rejected, rejectedErrors } = await sendBy(smtp, mail, limit.signal);
      const reached = mail.to.filter((address) => accepted.includes(address));
      if (rejected.length === 0) return { reached, fault: null };
      const [first] = rejectedErrors ?? [];
      const fault = smtpFault({ message: 'refused', ...first, code: 'EENVELOPE', command: 'RCPT TO' }, server);
      const text = `The mail server ${server} refused ${rejected.join(', ')}.${first?.response ? ` It said: ${first.response}` : ''}`;
      return { reached, fault: { ...fault, text } };
    } catch (error) {
      return { reached: [], fault: smtpFault(error as SmtpError, server) };
    } finally {
      clearTimeout(timer);
    }
  }
}

interface AcceptedMail {
  accepted: string[];
  rejected: string[];
  rejectedErrors?: SmtpError[];
}

async function sendBy(smtp: SmtpSettings, mail: Mail, signal: AbortSignal): Promise<AcceptedMail> {
  const { from } = smtp;
  const transport = await createMailTransport(smtp);
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  const named = (id: string) => `<${id}@${domain}>`;
  const [only] = mail.to;
  try {
    const sent = await transport.sendMail({
      from: { name: from.name, address: from.address },
      to: mail.to.length === 1 && only ? { name: '', address: only } : 'undisclosed-recipients:;',
      envelope: { from: from.address, to: [...mail.to] },
      subject: mail.subject,
      text: mail.text,
      html: mail.html,
      messageId: named(mail.id),
      ...(mail.thread ? { references: named(mail.thread) } : {}),
      headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
      signal,
    });
    return sent;
  } finally {
    transport.close();
  }
}

/** Signs in to the mail server without sending a mail. @returns null: it accepts mail of this installation */
export async function findSmtpFault(smtp: SmtpSettings): Promise<string | null> {
  const transport = await createMailTransport(smtp);
  try {
    await transport.verify();
    return null;
  } catch (error) {
    return smtpFault(error as SmtpError, `${smtp.host}:${smtp.port}`).text;
  } finally {
    transport.close();
  }
}

async function createMailTransport(smtp: SmtpSettings) {
  const { host, port, secure, startTls, login, caFile } = smtp;
  const ca = caFile ? [...getCACertificates('default'), await readFile(caFile, 'utf8')] : undefined;
  return createTransport({
    ...{ host, port, secure, requireTLS: !secure && startTls === 'required', ignoreTLS: startTls === 'off' },
    ...(login ? { auth: { user: login.user, pass: login.password } } : {}),
    tls: { minVersion: 'TLSv1.2', ...(ca ? { ca } : {}) },
    ...SMTP_TIMEOUTS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
