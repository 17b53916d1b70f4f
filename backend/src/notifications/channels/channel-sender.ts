import { Injectable } from '@nestjs/common';
import { OutgoingHttp, OutgoingRequestError } from '../../common/network/outgoing-request.js';
import { toSendResult } from '../sending/http-result.js';
import { MailSender } from '../sending/mail-sender.js';
import { failedResult, type SendResult } from '../sending/send-result.js';
import type { Destination, Sending, Transports } from './channel.js';
import { type ChannelType, channelOf } from './channel-list.js';

const ANSWER_MS = 15_000;
const MAX_ANSWER_BYTES = 4_096;

@Injectable()
export class ChannelSender {
  constructor(
    private readonly http: OutgoingHttp,
    private readonly mail: MailSender,
  ) {}

  /**
   * @param timeLimitMs time limit, if shorter than the default
   * @throws Error if this version does not have the channel
   */
  async send(to: Destination<ChannelType>, sending: Sending, timeLimitMs?: number): Promise<SendResult> {
    return channelOf(to.type).send(to, sending, {
      post: (request) => this.post(request, timeLimitMs),
      mail: (mail) => this.mail.send(mail, timeLimitMs),
    });
  }

  private async post(
    { url, body, headers, secrets }: Parameters<Transports['post']>[0],
    timeLimitMs = ANSWER_MS,
  ): Promise<SendResult> {
    try {
      const answer = await this.http.send({
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'Runward', ...headers },
        body: JSON.stringify(body),
        timeoutMs: Math.min(timeLimitMs, ANSWER_MS),
        maxBytes: MAX_ANSWER_BYTES,
      });
      return toSendResult(answer, new URL(url).host, secrets, new Date());
    } catch (error) {
      if (!(error instanceof OutgoingRequestError)) throw error;
      const code = error.code === 'aborted' ? 'connection_lost' : error.code;
      return failedResult(code, error.message, code === 'bad_url' || code === 'address_refused');
    }
  }
}
