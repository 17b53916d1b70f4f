import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import { affected, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, unauthorizedProblem } from '../../common/errors/problem.js';
import { isId } from '../../common/ids.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { findCredential } from '../../tenancy/directory/auth-directory.js';
import { GitSource } from '../records/git-source.entity.js';
import { GitSourceVault } from '../records/git-source-vault.js';
import { requestSync } from '../records/sync-store.js';
import { type WebhookCall, verifyWebhookCall } from './signed-call.js';

/**
 * Days for which accepted calls are remembered. A replay after this time only starts another sync of the current
 * content.
 */
const WEBHOOK_CALL_RETENTION_DAYS = 30;

interface WebhookCaller {
  address: string;
  requestId: string;
}

/** Receives push webhooks of forges. A call only requests a sync; its content is not used otherwise. */
@Injectable()
export class WebhookReceiver {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly queue: JobQueue,
    private readonly vault: GitSourceVault,
  ) {}

  /**
   * @returns whether a sync was requested
   * @throws Problem 401, identical for an unknown source, a source without a secret, and an invalid signature; 409
   *   `webhook_replayed`
   */
  async receive(id: string, call: WebhookCall, sender: WebhookCaller): Promise<boolean> {
    const place = isId(id)
      ? await this.units.runWithoutTenant((tx) => findCredential(tx, 'git_source', Buffer.from(id.toLowerCase())))
      : null;
    if (!place) throw unverifiedProblem();
    const { tenantId, recordId } = place;
    return this.units.run(tenantId, async (tx) => {
      const source = await tx.getRepository(GitSource).findOneBy({ tenantId, id: recordId });
      const secret = source ? await this.vault.openWebhookSecret(tx, source) : null;
      const verifiedCall = secret === null ? null : verifyWebhookCall(call, secret, Date.now() / 1000);
      if (!source || !verifiedCall) throw unverifiedProblem();
      await rememberCall(tx, tenantId, recordId, verifiedCall.key);
      if (!verifiedCall.push) return false;
      await requestSync(tx, tenantId, recordId);
      await this.queue.enqueueGitSync(tx, { tenantId, gitSourceId: recordId });
      await this.audit.record(
        tx,
        { kind: 'anonymous', tenantId, userId: null, name: 'webhook', ...sender },
        {
          action: 'git_source.request_sync',
          resourceId: recordId,
          resourceName: source.name,
        },
      );
      return true;
    });
  }
}

async function rememberCall(tx: EntityManager, tenantId: string, id: string, key: Buffer): Promise<void> {
  const added = await affected(
    tx,
    sql`insert into git_webhook_calls (tenant_id, git_source_id, key) values (${tenantId}, ${id}, ${key})
      on conflict do nothing`,
  );
  if (added === 0)
    throw conflict('webhook_replayed', 'This call was already accepted. Each call is accepted only once.');
  await affected(
    tx,
    sql`delete from git_webhook_calls where tenant_id = ${tenantId} and git_source_id = ${id}
      and received_at < now() - make_interval(days => ${WEBHOOK_CALL_RETENTION_DAYS})`,
  );
}

const unverifiedProblem = () =>
  unauthorizedProblem(
    'unauthorized',
    'The call is not signed with the secret of this source. Compare the webhook secret in the forge with the one of the source.',
  );
