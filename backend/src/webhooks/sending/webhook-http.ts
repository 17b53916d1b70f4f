import { Inject, Injectable, Optional } from '@nestjs/common';
import { Webhook as Signature } from 'standardwebhooks';
import { canonicalAddress } from '../../common/network/host-address.js';
import { type Lookup, OutgoingAddresses } from '../../common/network/outgoing-addresses.js';
import { OutgoingHttp, OutgoingRequestError, outgoingUrl } from '../../common/network/outgoing-request.js';
import { RUNTIME, type Runtime } from '../../common/runtime.js';
import { answerFault, type Attempt, shownText } from './attempt.js';
import { retryAfter } from './backoff.js';
import { FairLookups } from './fair-lookups.js';
import { PlainAddresses } from './webhook-addresses.js';

/** For all of a call, in ms. */
export const TIMEOUT_MS = 15_000;
/** What is kept of an answer, for whoever looks for a fault. */
const MOST_ANSWER = 1024;
/** Callers of tenants that are kept; each is made in a moment. */
const MOST_KEPT = 500;

/** Looks names up; a test hands its own in. */
export const WEBHOOK_LOOKUP = Symbol('webhook lookup');

/** One message to one address. */
export interface Message {
  tenantId: string;
  url: string;
  /** The same at each attempt. */
  messageId: string;
  body: string;
  /** The current one first. */
  secrets: readonly string[];
}

interface Callers {
  plain: OutgoingHttp;
  sealed: OutgoingHttp;
}

/** Sends messages as Standard Webhooks says, to addresses that tenants name. */
@Injectable()
export class WebhookHttp {
  private readonly lookups: FairLookups;
  private readonly callers = new Map<string, Callers>();

  constructor(
    @Inject(RUNTIME) private readonly runtime: Runtime,
    @Optional() @Inject(WEBHOOK_LOOKUP) lookup?: Lookup,
  ) {
    this.lookups = new FairLookups(lookup);
  }

  /**
   * Whether the address may be called, as far as it can be known now.
   * @throws OutgoingRequestError, OutgoingAddressError
   */
  async demandAllowed(tenantId: string, text: string): Promise<void> {
    const url = outgoingUrl(text);
    await this.callerFor(tenantId, url).addresses.of(canonicalAddress(url.hostname));
  }

  /** Never throws: what keeps a message from getting through is part of what came of it. */
  async send(message: Message, timeoutMs = TIMEOUT_MS): Promise<Attempt> {
    const at = new Date();
    const began = performance.now();
    try {
      const caller = this.callerFor(message.tenantId, outgoingUrl(message.url));
      const { status, headers, body, truncated, durationMs } = await caller.send({
        method: 'POST',
        url: message.url,
        headers: headersOf(message, at),
        body: message.body,
        timeoutMs,
        mostBytes: MOST_ANSWER,
      });
      const fault = answerFault(status, headers.location);
      const asked = fault?.code === 'too_many_requests' ? retryAfter(headers['retry-after'], at.getTime()) : null;
      return { at, durationMs, status, fault, answer: shownText(body), truncated, retryAfterMs: asked };
    } catch (error) {
      if (!(error instanceof OutgoingRequestError)) throw error;
      const durationMs = Math.round(performance.now() - began);
      const fault = { code: error.code, message: error.message };
      return { at, durationMs, status: null, fault, answer: null, truncated: false, retryAfterMs: null };
    }
  }

  private callerFor(tenantId: string, url: URL): OutgoingHttp {
    let own = this.callers.get(tenantId);
    if (!own) {
      const { refusedAddresses, outgoingPrivate, outgoingCaFile } = this.runtime.settings;
      const lookup = this.lookups.of(tenantId);
      own = {
        plain: new OutgoingHttp(new PlainAddresses(refusedAddresses, outgoingPrivate, lookup)),
        sealed: new OutgoingHttp(new OutgoingAddresses(refusedAddresses, outgoingPrivate, lookup), outgoingCaFile),
      };
      if (this.callers.size >= MOST_KEPT) this.callers.clear();
      this.callers.set(tenantId, own);
    }
    return url.protocol === 'https:' ? own.sealed : own.plain;
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
