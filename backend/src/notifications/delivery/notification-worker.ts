import { Injectable, Logger } from '@nestjs/common';
import { isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { type JobHandler, WorkerProvider } from '../../common/queue/job-handler.js';
import { QUEUES, type SendNotificationJob } from '../../common/queue/queue-names.js';
import { ChannelSender } from '../channels/channel-sender.js';
import {
  claimDelivery,
  type ClaimedDelivery,
  type DeliveryOutcome,
  listDueDeliveries,
  deleteOldDeliveries,
  RETENTION_DAYS,
  storeOutcome,
} from '../records/delivery-rows.js';
import { failedResult, combineResults, type SendResult } from '../sending/send-result.js';
import { DeliveryContent } from './delivery-content.js';
import type { PreparedSending } from './missed-content.js';
import { computeRetrySeconds } from './retry-rule.js';

const SWEEP_MS = 60_000;
const DELIVERIES_PER_SWEEP = 200;
const DELETED_PER_SWEEP = 2_000;

/**
 * Time limit for starting mails of one message, in ms. The last mail then ends before another worker may take over the
 * message.
 */
const SEND_TIME_LIMIT_MS = 60_000;
const TOO_SLOW_TEXT = 'The mail server was too slow to accept all recipients. The remaining ones are tried again.';

@WorkerProvider()
@Injectable()
export class NotificationWorker implements JobHandler<'send-notification'> {
  readonly queue = QUEUES.sendNotification;
  readonly concurrency = 6;
  readonly perTenant = 3;
  /** Another worker sends messages again that are not finished by then. */
  readonly drainMs = 10_000;
  private readonly log = new Logger('Notifications');
  private sweepPromise: Promise<void> = Promise.resolve();
  private timer: NodeJS.Timeout | null = null;

  constructor(
    private readonly units: UnitOfWork,
    private readonly jobs: JobQueue,
    private readonly contents: DeliveryContent,
    private readonly sender: ChannelSender,
  ) {}

  start(): void {
    this.timer = setInterval(() => {
      this.sweepPromise = this.sweep();
    }, SWEEP_MS);
  }

  async drain(): Promise<void> {
    if (this.timer) clearInterval(this.timer);
    await this.sweepPromise;
  }

  /** Rejects only while the database is unavailable. The queue then retries the job. */
  async handle(job: SendNotificationJob): Promise<void> {
    const claim = await this.units.run(job.tenantId, async (tx) => {
      const found = await claimDelivery(tx, job.tenantId, job.deliveryId);
      if (typeof found === 'number') await this.jobs.enqueueNotification(tx, job, { inSeconds: found });
      return found;
    });
    if (typeof claim !== 'object') return;
    const outcome = await this.attemptDelivery(claim);
    await this.units.run(job.tenantId, async (tx) => {
      if (!(await storeOutcome(tx, claim, outcome))) return;
      if (outcome.state === 'waiting') await this.jobs.enqueueNotification(tx, job, { inSeconds: outcome.inSeconds });
    });
  }

  private async attemptDelivery(claim: ClaimedDelivery): Promise<DeliveryOutcome> {
    try {
      const prepared = await this.units.run(claim.tenantId, (tx) => this.contents.prepareSendings(tx, claim));
      if (typeof prepared === 'string') return { state: 'skipped', errorCode: null, error: prepared };
      const result = await this.sendAll(prepared);
      return { ...toDeliveryOutcome(claim, result, Math.random()), subject: prepared[0]?.sending.message.subject };
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.log.error(`Message ${claim.id}: ${error instanceof Error ? error.stack : String(error)}`);
      const own = failedResult(
        'failed',
        'Sending failed because of an internal error. Ask the operator to search the server log.',
        false,
      );
      return toDeliveryOutcome(claim, own, Math.random());
    }
  }

  /** Recipients beyond the time limit wait for the next attempt. */
  private async sendAll(prepared: readonly PreparedSending[]): Promise<SendResult> {
    const startedAt = performance.now();
    const results: SendResult[] = [];
    for (const { to, sending } of prepared) {
      const late = performance.now() - startedAt > SEND_TIME_LIMIT_MS;
      results.push(late ? failedResult('timed_out', TOO_SLOW_TEXT, false) : await this.sender.send(to, sending));
    }
    return combineResults(results);
  }

  private async sweep(): Promise<void> {
    try {
      const tenants = await this.units.runWithoutTenant((tx) =>
        rows(tx, sql<{ id: string }>`select tenants_with_due_notifications(${RETENTION_DAYS}) as id`),
      );
      for (const { id: tenantId } of tenants) {
        await this.units.run(tenantId, async (tx) => {
          await deleteOldDeliveries(tx, tenantId, DELETED_PER_SWEEP);
          for (const deliveryId of await listDueDeliveries(tx, tenantId, DELIVERIES_PER_SWEEP))
            await this.jobs.enqueueNotification(tx, { tenantId, deliveryId }, { atMostEverySeconds: SWEEP_MS / 1000 });
        });
      }
    } catch (error) {
      if (!isDatabaseUnavailable(error)) this.log.warn(`Reading due messages failed: ${String(error)}`);
    }
  }
}

/** @param random from 0 to 1 */
export function toDeliveryOutcome(
  { attempts, secondsLeft, reached: before }: Pick<ClaimedDelivery, 'attempts' | 'secondsLeft' | 'reached'>,
  { reached: now, fault }: SendResult,
  random: number,
): DeliveryOutcome {
  const reached = [...before, ...now];
  if (!fault) return { state: 'sent', reached, errorCode: null, error: null };
  const { code: errorCode, text: error, permanent, retryAfterSeconds } = fault;
  const again = permanent ? null : computeRetrySeconds(attempts, secondsLeft, random, retryAfterSeconds);
  if (again !== null) return { state: 'waiting', inSeconds: again, reached, errorCode, error };
  // When the message reached some recipients, `error` contains the answers for the others.
  return { state: reached.length > 0 && permanent ? 'sent' : 'failed', reached, errorCode, error };
}
