import { Inject, Injectable, Optional } from '@nestjs/common';
import { Webhook as Signature } from 'standardwebhooks';
import { toCanonicalAddress } from '../../common/network/host-address.js';
import { type LookupAddresses, OutgoingAddresses } from '../../common/network/outgoing-addresses.js';
import { OutgoingHttp, OutgoingRequestError, parseOutgoingUrl } from '../../common/network/outgoing-request.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import { findAnswerFault, type Attempt, storableText } from './attempt.js';
import { parseRetryAfterMs } from './backoff.js';
import { FairLookups } from './fair-lookups.js';
import { PlainAddresses } from './webhook-addresses.js';

/** Time limit for a whole call, in ms. */
export const TIMEOUT_MS = 15_000;
const ANSWER_BYTES = 1024;
/** Maximum number of cached HTTP clients. The cache is cleared when full, because creating a client is cheap. */
const CACHED_CLIENTS = 500;

export const WEBHOOK_LOOKUP = Symbol('webhook lookup');

export interface Message {
  tenantId: string;
  url: string;
  /** The same in each attempt. */
  messageId: string;
  body: string;
  /** The current secret first. */
  secrets: readonly string[];
}

interface Clients {
  plain: OutgoingHttp;
  sealed: OutgoingHttp;
}

/** Sends messages, signed according to Standard Webhooks, to addresses that members chose. */
@Injectable()
export class WebhookHttp {
  private readonly lookups: FairLookups;
  private readonly clients = new Map<string, Clients>();

  constructor(
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Optional() @Inject(WEBHOOK_LOOKUP) lookup?: LookupAddresses,
  ) {
    this.lookups = new FairLookups(lookup);
  }

  /**
   * Validates the address as far as possible now.
   * @throws OutgoingRequestError, OutgoingAddressError
   */
  async requireAllowed(tenantId: string, text: string): Promise<void> {
    const url = parseOutgoingUrl(text);
    await this.clientFor(tenantId, url).addresses.resolveAllowed(toCanonicalAddress(url.hostname));
  }

  /** Does not throw if the call fails: the result contains the failure. */
  async send(message: Message, timeoutMs = TIMEOUT_MS): Promise<Attempt> {
    const at = new Date();
    const began = performance.now();
    try {
      const client = this.clientFor(message.tenantId, parseOutgoingUrl(message.url));
      const { status, headers, body, truncated, durationMs } = await client.send({
        method: 'POST',
        url: message.url,
        headers: headersOf(message, at),
        body: message.body,
        timeoutMs,
        maxBytes: ANSWER_BYTES,
      });
      const fault = findAnswerFault(status, headers.location);
      const retryAfterMs =
        fault?.code === 'too_many_requests' ? parseRetryAfterMs(headers['retry-after'], at.getTime()) : null;
      return { at, durationMs, status, fault, answer: storableText(body), truncated, retryAfterMs };
    } catch (error) {
      if (!(error instanceof OutgoingRequestError)) throw error;
      const durationMs = Math.round(performance.now() - began);
      const fault = { code: error.code, message: error.message };
      return { at, durationMs, status: null, fault, answer: null, truncated: false, retryAfterMs: null };
    }
  }

  private clientFor(tenantId: string, url: URL): OutgoingHttp {
    let tenantClients = this.clients.get(tenantId);
    if (!tenantClients) {
      const { refusedAddresses, outgoingPrivate, outgoingCaFile } = this.runtime.settings;
      const lookup = this.lookups.of(tenantId);
      tenantClients = {
        plain: new OutgoingHttp(new PlainAddresses(refusedAddresses, outgoingPrivate, lookup)),
        sealed: new OutgoingHttp(new OutgoingAddresses(refusedAddresses, outgoingPrivate, lookup), outgoingCaFile),
      };
      if (this.clients.size >= CACHED_CLIENTS) this.clients.clear();
      this.clients.set(tenantId, tenantClients);
    }
    return url.protocol === 'https:' ? tenantClients.sealed : tenantClients.plain;
  }
}

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export function headersOf({ messageId, body, secrets }: Message, at: Date): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': 'Runward-Webhooks/1',
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Signature(secret).sign(messageId, at, body)).join(' '),
  };
}
