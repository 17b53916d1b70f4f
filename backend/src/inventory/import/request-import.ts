import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { Principal } from '../../common/access/principal.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { conflict, invalidRequest } from '../../common/errors/problem.js';
import { newId } from '../../common/ids.js';
import { JobQueue } from '../../common/queue/job-queue.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { KeyVault } from '../../keys/key-vault.js';
import { requireAdminToConfirm } from '../machines/host-claims.js';
import type { ImportEntry, ImportOrder } from './orders/import-record.js';
import { ImportsReader } from './orders/imports.reader.js';
import { insertImportOfPreview, insertImport } from './orders/import-store.js';
import type { ImportServersRequest } from './orders/imports.dto.js';
import { InventoryReader } from './reading/inventory-reader.js';

const DEFAULT_PRUNE_LIMIT_PERCENT = 20;

@Injectable()
export class ImportRequests {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly environments: EnvironmentReader,
    private readonly keys: KeyVault,
    private readonly texts: InventoryReader,
    private readonly imports: ImportsReader,
    private readonly queue: JobQueue,
  ) {}

  /**
   * Reads the text and stores its content; a worker carries the import out.
   * @returns ID of the import
   * @throws Problem 400 with line and entry; 404; 403 `grant_required`; 429 `too_many_at_once`, 503 `busy`
   */
  async requestImport(caller: Principal, request: ImportServersRequest, preview: boolean): Promise<string> {
    requireAdminToConfirm(caller, request.confirmHosts);
    const { format, content, environmentId, source, prune = 'no', skipFaulty = false } = request;
    if (prune !== 'no' && source === undefined)
      throw requiredFieldProblem('/source', 'required', 'Send the source whose servers are to be pruned.');
    // Before reading the text, because reading is expensive.
    await this.units.run(caller.tenantId, (tx) => this.requireRights(tx, caller, request));
    const { entries, notCarried, moreNotCarried } = await this.texts.readInventory(
      caller.tenantId,
      { format, content },
      skipFaulty,
    );
    requireExternalSource(source, entries);
    const order: ImportOrder = {
      environmentId,
      format,
      source: source ?? null,
      prune,
      pruneLimitPercent: request.pruneLimitPercent ?? DEFAULT_PRUNE_LIMIT_PERCENT,
      sshKeyId: request.sshKeyId ?? null,
      username: request.username ?? null,
      skipFaulty,
      preview,
      confirmHosts: request.confirmHosts ?? false,
      expectedDigest: null,
      notCarried,
      moreNotCarried,
    };
    return this.storeImport(caller, order, entries.length, async (tx, id) => {
      await this.requireRights(tx, caller, request);
      await insertImport(tx, caller, id, order, entries);
    });
  }

  /**
   * Requests exactly the changes of a preview.
   * @returns ID of the new import
   * @throws Problem 403 `grant_required`; 404; 409 `not_a_preview`
   */
  async requestPreviewApplication(caller: Principal, id: string): Promise<string> {
    const { order, total, digest, state } = await this.units.run(caller.tenantId, async (tx) => {
      const preview = await this.imports.getOrder(tx, caller, id);
      await this.environments.requireRunnable(tx, caller, preview.order.environmentId);
      return preview;
    });
    if (!order.preview || state !== 'succeeded' || digest === null)
      throw conflict('not_a_preview', 'Only a preview without problems can be applied. Request a new preview.');
    const again = { ...order, preview: false, expectedDigest: digest };
    return this.storeImport(caller, again, total, async (tx, newImport) => {
      await this.environments.requireRunnable(tx, caller, order.environmentId);
      await insertImportOfPreview(tx, caller, newImport, again, { id, total });
    });
  }

  private storeImport(
    caller: Principal,
    { environmentId, format, source, prune, preview }: ImportOrder,
    servers: number,
    insert: (tx: EntityManager, id: string) => Promise<void>,
  ): Promise<string> {
    const id = newId();
    return this.units.run(caller.tenantId, async (tx) => {
      await insert(tx, id);
      await this.audit.record(tx, caller, {
        action: 'inventory_import.request',
        resourceId: id,
        resourceName: source ?? format,
        after: { environmentId, format, source, prune, preview, servers },
      });
      await this.queue.enqueueServerImport(tx, { tenantId: caller.tenantId, importId: id });
      return id;
    });
  }

  private async requireRights(
    tx: EntityManager,
    caller: Principal,
    { environmentId, sshKeyId }: ImportServersRequest,
  ): Promise<void> {
    const environment = await this.environments.findVisibleEnvironment(tx, caller, environmentId, '/environmentId');
    if (sshKeyId !== undefined) await this.keys.getVisibleKey(tx, caller, sshKeyId, '/sshKeyId');
    await this.environments.requireOwnRunRight(tx, caller, environment);
  }
}

/** An external ID is unique only within its source. */
function requireExternalSource(source: string | undefined, entries: readonly ImportEntry[]): void {
  if (source === undefined && entries.some(({ wanted }) => wanted.externalId !== undefined))
    throw requiredFieldProblem(
      '/source',
      'required',
      'The text contains external IDs. Send the source to which they belong.',
    );
}

const requiredFieldProblem = (path: string, code: 'required', message: string) =>
  invalidRequest([{ path, code, message }]);
