import { Inject, Injectable, Logger } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { isDatabaseUnavailable } from '../../common/database/database-problem.js';
import { affected, rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { type JobHandler, WorkerProvider } from '../../common/queue/job-handler.js';
import { QUEUES, type RotateKeyJob } from '../../common/queue/queue-names.js';
import { KeyVault } from '../../keys/key-vault.js';
import { SERVER_USE, type ServerUse } from '../ports/server-use.js';
import { findKeyHolders } from './key-holders.js';
import { HostRotation } from './rotate-host.js';
import { type ClaimedRotation, type RotationHostStatus, SETTLED_STATES } from './rotation-record.js';
import {
  claimRotation,
  findDueHosts,
  countHostsByState,
  reconcileHosts,
  releaseLease,
  renewLease,
  storeHostState,
} from './rotation-store.js';

/** Hosts per round, after which the next rotation is served; and hosts in parallel. */
const MAX_HOSTS_PER_ROUND = 30;
const MAX_CONCURRENT_HOSTS = 10;
const HOLDERS_PER_BATCH = 500;
/** Interval of lease renewals in ms. After `LEASE_LOST_AFTER_MS` without a renewal, the worker starts nothing more. */
const RENEW_INTERVAL_MS = 5_000;
const LEASE_LOST_AFTER_MS = 12_000;
/**
 * Minimum time before the old key is removed, in seconds. Runs that were just being accepted with the old key are
 * stored by then.
 */
const RETRY_REST_SECONDS = 3;
/**
 * Delays before the next round. Held: another worker has the rotation. Waiting: hosts wait for runs or for each other.
 * Idle: all hosts wait for people.
 */
const HELD_DELAY_SECONDS = 5;
const WAITING_DELAY_SECONDS = 3;
const IDLE_DELAY_SECONDS = 10;

interface RoundWork {
  pendingIds: string[];
  take: string[];
}

/** Executes rotations from the queue. Each job is one round for some of the hosts. */
@WorkerProvider()
@Injectable()
export class RotationWorker implements JobHandler<'rotate-key'> {
  readonly queue = QUEUES.rotateKey;
  /** Each job handles a few hosts and then yields to the next rotation. */
  readonly concurrency = 2;
  private readonly log = new Logger('Rotation');

  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly jobs: JobQueue,
    private readonly keys: KeyVault,
    private readonly hosts: HostRotation,
    @Inject(SERVER_USE) private readonly use: ServerUse,
  ) {}

  /** Rejects only while the database is unavailable; the queue then repeats the job. */
  async handle(job: RotateKeyJob, ending: AbortSignal): Promise<void> {
    const { tenantId, rotationId } = job;
    const rotation = await this.units.run(tenantId, async (tx) => {
      const claimed = ending.aborted ? 'held' : await claimRotation(tx, tenantId, rotationId);
      if (claimed === 'held') await this.jobs.enqueueKeyRotation(tx, job, HELD_DELAY_SECONDS);
      return claimed === 'held' ? null : claimed;
    });
    if (!rotation) return;
    const lost = new AbortController();
    const signal = AbortSignal.any([ending, lost.signal]);
    let renewedAt = performance.now();
    const renewal = setInterval(() => {
      if (performance.now() - renewedAt > LEASE_LOST_AFTER_MS) lost.abort();
      this.units
        .run(tenantId, (tx) => renewLease(tx, rotation))
        .then(
          (held) => {
            if (held) renewedAt = performance.now();
            else lost.abort();
          },
          () => undefined,
        );
    }, RENEW_INTERVAL_MS);
    try {
      const work = await this.units.run(tenantId, (tx) => this.planRound(tx, rotation));
      await forEachConcurrently(MAX_CONCURRENT_HOSTS, work.pendingIds, (id) =>
        this.hosts.installNewKey(rotation, id, signal),
      );
      await forEachConcurrently(MAX_CONCURRENT_HOSTS, work.take, (id) => this.hosts.removeOldKey(rotation, id, signal));
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error;
      this.log.error(`Rotation ${rotationId}: ${error instanceof Error ? error.stack : String(error)}`);
      await this.units.run(tenantId, (tx) => this.enqueueNextRound(tx, rotation, IDLE_DELAY_SECONDS));
      return;
    } finally {
      clearInterval(renewal);
    }
    await this.units.run(tenantId, (tx) => this.finishOrContinue(tx, rotation, ending));
  }

  /**
   * Old keys are removed only after all new keys are installed. Otherwise a file that servers share could lose the old
   * key too early.
   */
  private async planRound(tx: EntityManager, rotation: ClaimedRotation): Promise<RoundWork> {
    await reconcileHosts(tx, rotation);
    const pendingIds = await findDueHosts(tx, rotation, ['pending', 'installed'], { limit: MAX_HOSTS_PER_ROUND });
    if (pendingIds.length > 0) return { pendingIds, take: [] };
    const due = await findDueHosts(tx, rotation, ['switched'], {
      limit: HOLDERS_PER_BATCH,
      restSeconds: RETRY_REST_SECONDS,
    });
    return {
      pendingIds: [],
      take: (await this.excludeHostsWithHolders(tx, rotation, due)).slice(0, MAX_HOSTS_PER_ROUND),
    };
  }

  /** Returns the hosts that no longer need the old key, and stores the reason for the other hosts. */
  private async excludeHostsWithHolders(
    tx: EntityManager,
    rotation: ClaimedRotation,
    serverIds: string[],
  ): Promise<string[]> {
    if (serverIds.length === 0) return [];
    const { tenantId, id } = rotation;
    const oldKeys = await this.keys.findIdsByFingerprint(tx, tenantId, rotation.oldFingerprint);
    const inRuns = await this.use.findServersSignedInWith(tx, tenantId, oldKeys);
    const holders = await findKeyHolders(tx, tenantId, serverIds, oldKeys, inRuns);
    const failed = await rows(
      tx,
      sql<{ server_id: string }>`select server_id from key_rotation_hosts
        where tenant_id = ${tenantId} and rotation_id = ${id} and state = 'failed'`,
    );
    const failedServerIds = new Set(failed.map(({ server_id }) => server_id));
    for (const [serverId, { by, holderId, holderName, near }] of holders) {
      const who = holderId === serverId ? 'this server' : near ? `"${holderName}"` : 'another server of this machine';
      const holdReason =
        by === 'run'
          ? {
              state: 'switched',
              code: 'run_not_finished',
              message: `A run that began with the old key has not finished on ${who}. The old public key is removed from the host after that.`,
            }
          : failedServerIds.has(holderId)
            ? {
                state: 'switched',
                code: 'host_shared',
                message: `The old public key stays on the host until ${who}, which has the same login there, uses the new key too.`,
              }
            : {
                state: 'failed',
                code: 'old_key_needed',
                message: `The server uses the new key. The old public key stays on the host, because ${who} signs in there with it. Set another key for that server, and try again.`,
              };
      await storeHostState(tx, rotation, serverId, ['switched'], holdReason as { state: RotationHostStatus });
    }
    return serverIds.filter((serverId) => !holders.has(serverId));
  }

  private async finishOrContinue(tx: EntityManager, rotation: ClaimedRotation, ending: AbortSignal): Promise<void> {
    await reconcileHosts(tx, rotation);
    const counts = await countHostsByState(tx, rotation);
    const { pending = 0, installed = 0, switched = 0, failed = 0 } = counts;
    if (pending + installed + switched + failed === 0) return this.finishRotation(tx, rotation, counts);
    if (pending + installed > 0) return this.enqueueNextRound(tx, rotation, ending.aborted ? WAITING_DELAY_SECONDS : 0);
    await this.enqueueNextRound(tx, rotation, switched > 0 ? WAITING_DELAY_SECONDS : IDLE_DELAY_SECONDS);
  }

  private async enqueueNextRound(tx: EntityManager, rotation: ClaimedRotation, inSeconds: number): Promise<void> {
    await releaseLease(tx, rotation);
    await this.jobs.enqueueKeyRotation(tx, { tenantId: rotation.tenantId, rotationId: rotation.id }, inSeconds);
  }

  /** Gives the new key the name of the old key, unless someone has renamed one of them. */
  private async finishRotation(tx: EntityManager, rotation: ClaimedRotation, counts: object): Promise<void> {
    const { tenantId, id, epoch, oldKeyId, newKeyId, keyName, newKeyName } = rotation;
    const ended = await affected(
      tx,
      sql`update key_rotations set finished_at = now(), lease_until = null
        where tenant_id = ${tenantId} and id = ${id} and epoch = ${epoch} and finished_at is null`,
    );
    if (ended === 0) return;
    const actor = { kind: 'system', tenantId, name: 'worker' } as const;
    const names = await this.keys.readNames(tx, tenantId, [oldKeyId, newKeyId]);
    const name = names.get(oldKeyId);
    if (name !== undefined && names.get(newKeyId) === newKeyName) {
      const day = new Date().toISOString().slice(0, 10);
      const oldKeyName = await this.keys.findFreeName(tx, tenantId, name, ` (until ${day})`);
      for (const [keyId, before, after] of [
        [oldKeyId, name, oldKeyName],
        [newKeyId, newKeyName, name],
      ] as const) {
        await this.keys.rename(tx, tenantId, keyId, after);
        await this.audit.record(tx, actor, {
          action: 'ssh_key.update',
          resourceId: keyId,
          resourceName: after,
          before: { name: before },
          after: { name: after },
        });
      }
    }
    await this.audit.record(tx, actor, {
      action: 'key_rotation.finish',
      resourceId: id,
      resourceName: keyName,
      after: Object.fromEntries(SETTLED_STATES.map((state) => [state, (counts as Record<string, number>)[state] ?? 0])),
    });
  }
}

/** Runs `work` for all ids with limited concurrency. @throws the first error, after all started work has ended */
async function forEachConcurrently(
  width: number,
  ids: readonly string[],
  work: (id: string) => Promise<void>,
): Promise<void> {
  const rest = [...ids];
  const loops = Array.from({ length: width }, async () => {
    for (let id = rest.shift(); id !== undefined; id = rest.shift()) await work(id);
  });
  const failed = (await Promise.allSettled(loops)).find((enqueueNextRound) => enqueueNextRound.status === 'rejected');
  if (failed) throw failed.reason;
}
