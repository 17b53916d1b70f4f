import { Injectable } from '@nestjs/common';
import { OutgoingHttp, OutgoingRequestError } from '../../common/network/outgoing-request.js';
import { mailContent } from '../messages/mail-message.js';
import type { Message } from '../messages/message.js';
import { ntfyMessage } from '../messages/ntfy-message.js';
import { slackMessage } from '../messages/slack-message.js';
import { teamsMessage } from '../messages/teams-message.js';
import { toSendResult } from './http-result.js';
import { MailSender } from './mail-sender.js';
import { failedResult, type SendResult } from './send-result.js';

const ANSWER_MS = 15_000;
const MAX_ANSWER_BYTES = 4_096;

export type Destination =
  | { type: 'email'; to: readonly string[] }
  /** `url`: address of the webhook; null = not set. */
  | { type: 'slack' | 'teams'; url: string | null }
  | { type: 'ntfy'; url: string; topic: string; token: string | null };

export interface Sending {
  id: string;
  /** Subject that several messages share, such as a run; null: none. */
  thread: string | null;
  ruleName: string;
  message: Message;
}

/** Never rejects. */
@Injectable()
export class ChannelSender {
  constructor(
    private readonly http: OutgoingHttp,
    private readonly mail: MailSender,
  ) {}

  /** @param timeLimitMs time limit, if shorter than the default */
  async send(to: Destination, { id, thread, ruleName, message }: Sending, timeLimitMs?: number): Promise<SendResult> {
    switch (to.type) {
      case 'email': {
        if (to.to.length === 0)
          return failedResult('no_recipient', 'None of the recipients exists and can see the environment.', true);
        return this.mail.send({ id, thread, to: to.to, ...mailContent(message, ruleName) }, timeLimitMs);
      }
      case 'slack':
        return this.post(to.url, slackMessage(message), pathOf(to.url), {}, timeLimitMs);
      case 'teams':
        return this.post(to.url, teamsMessage(message), pathOf(to.url), {}, timeLimitMs);
      case 'ntfy': {
        const login: Record<string, string> = to.token === null ? {} : { authorization: `Bearer ${to.token}` };
        return this.post(to.url, ntfyMessage(message, to.topic, id), to.token, login, timeLimitMs);
      }
    }
  }

  private async post(
    url: string | null,
    body: object,
    secret: string | null,
    headers: Record<string, string>,
    timeLimitMs = ANSWER_MS,
  ): Promise<SendResult> {
    if (url === null) return failedResult('not_set', 'The rule has no address. Set one.', true);
    try {
      const answer = await this.http.send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Runward', ...headers },
        body: JSON.stringify(body),
        timeoutMs: Math.min(timeLimitMs, ANSWER_MS),
        maxBytes: MAX_ANSWER_BYTES,
      });
      return toSendResult(answer, new URL(url).host, secret, new Date());
    } catch (error) {
      if (!(error instanceof OutgoingRequestError)) throw error;
      const code = error.code === 'aborted' ? 'connection_lost' : error.code;
      return failedResult(code, error.message, code === 'bad_url' || code === 'address_refused');
    }
  }
}

function pathOf(url: string | null): string | null {
  const parsed = url === null ? null : URL.parse(url);
  return parsed === null || parsed.pathname === '/' ? null : parsed.pathname;
}
