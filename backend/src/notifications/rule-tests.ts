import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { FairQueue, QueueRefusal } from '../common/fairness/fair-queue.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { Problem } from '../common/errors/problem.js';
import { RateLimiter } from '../common/http/limits/rate-limits.js';
import { newId } from '../common/ids.js';
import { RUNTIME, type Runtime } from '../common/settings/runtime.js';
import type { Destination } from './channels/channel.js';
import type { ChannelType } from './channels/channel-list.js';
import { ChannelSender } from './channels/channel-sender.js';
import { requireValidChannel } from './channels/validate-channel.js';
import { findDestination, destinationOfRule } from './delivery/recipients/destination.js';
import { createMessage } from './messages/message.js';
import type { TestNotificationRuleRequest } from './notification-rules.dto.js';
import type { NotificationTestView } from './notification-rules.view.js';
import { RuleLookup } from './records/rule-lookup.js';
import { RuleVault } from './records/rule-vault.js';
import { RuleReader } from './rule-reader.js';

/** Maximum duration of a test, in ms. The request waits for the test. */
const TEST_TIMEOUT_MS = 12_000;
/** Limits of concurrent tests per process. Further tests wait; tenants take turns. */
const QUEUE_LIMITS = { running: 4, waitingPerKey: 4, waiting: 40, deadlineMs: 5_000 };
/** Quota of tests per tenant, because a test can send mail to any address. */
const TEST_QUOTA = { name: 'notification-tests', requests: 30, seconds: 600 };

@Injectable()
export class RuleTests {
  private readonly queue = new FairQueue(QUEUE_LIMITS);
  private readonly limiter = new RateLimiter();

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly lookup: RuleLookup,
    private readonly reader: RuleReader,
    private readonly vault: RuleVault,
    private readonly sender: ChannelSender,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /** @throws Problem 404; 429 */
  async testRule(caller: Principal, id: string): Promise<NotificationTestView> {
    const { name, to } = await this.units.run(caller.tenantId, async (tx) => {
      const rule = await this.lookup.visible(tx, caller, id);
      this.requireTestQuota(caller);
      await this.recordTest(tx, caller, rule);
      return { name: rule.name, to: await destinationOfRule(tx, this.vault, rule, null) };
    });
    return this.send(caller, name, to);
  }

  /** @throws Problem 400; 404 for a member that does not exist; 429 */
  async ofChannel(
    caller: Principal,
    { name, channel: requested }: TestNotificationRuleRequest,
  ): Promise<NotificationTestView> {
    const channel = requireValidChannel(requested, null);
    const to = await this.units.run(caller.tenantId, async (tx) => {
      await this.reader.requireNamedRecords(tx, caller, { to: channel.channel.to });
      this.requireTestQuota(caller);
      await this.recordTest(tx, caller, { id: null, name });
      return findDestination(tx, caller.tenantId, channel, channel.secret ?? null, null);
    });
    return this.send(caller, name, to);
  }

  private async send(
    { tenantId, name: sentBy }: Principal,
    ruleName: string,
    to: Destination<ChannelType>,
  ): Promise<NotificationTestView> {
    const url = `${this.runtime.settings.publicUrl}/notifications`;
    const message = createMessage({ event: 'test', ruleName, sentBy, url });
    const startedAt = performance.now();
    const sending = { id: newId(), thread: null, ruleName, message };
    const turn = { key: tenantId, known: true };
    const { fault } = await this.queue
      .runInTurn(turn, () => this.sender.send(to, sending, TEST_TIMEOUT_MS))
      .catch(rethrowAsProblem);
    const durationMs = Math.round(performance.now() - startedAt);
    return { sent: fault === null, reason: fault && { code: fault.code, text: fault.text }, durationMs };
  }

  /** Audited, because a test reaches people. */
  private recordTest(
    tx: EntityManager,
    caller: Principal,
    { id, name }: { id: string | null; name: string },
  ): Promise<void> {
    return this.audit.record(tx, caller, {
      action: 'notification_rule.test',
      resourceId: id,
      resourceName: name,
    });
  }

  private requireTestQuota({ tenantId }: Principal): void {
    const { allowed, resetSeconds } = this.limiter.consumeQuota(tenantId, TEST_QUOTA, performance.now());
    if (!allowed) throw tooMany(`Your tenant has sent ${TEST_QUOTA.requests} tests in the last minutes.`, resetSeconds);
  }
}

const RETRY_SECONDS = 5;

function rethrowAsProblem(error: unknown): never {
  if (error instanceof QueueRefusal) throw tooMany('Too many tests are being sent now.', RETRY_SECONDS);
  throw error;
}

const tooMany = (text: string, seconds: number): Problem =>
  new Problem('too_many_at_once', `${text} Nothing was sent. Try again in ${seconds} s.`, {
    headers: { 'Retry-After': String(seconds) },
  });
