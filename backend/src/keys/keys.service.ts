import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict } from '../common/errors/problem.js';
import { requireVersion } from '../common/http/etag.js';
import { toLikePattern, type Page } from '../common/http/paging/page.js';
import { NAMED_RECORD_COLUMNS, readPage } from '../common/http/paging/sorted-page.js';
import { GIT_KEY_USE, type GitKeyUse, KEY_USE, type KeyUsage, type KeyUse } from './key-use.js';
import { KeyVault } from './key-vault.js';
import type { CreateSshKeyRequest, ListSshKeysQuery, UpdateSshKeyRequest } from './keys.dto.js';
import { type CreatedSshKeyView, type SshKeyView, toSshKeyView } from './keys.view.js';
import { KeyCreator } from './new-keys.js';
import { SshKey } from './ssh-key.entity.js';

const NO_USAGE: KeyUsage = { usedBy: [], usedByCount: 0, hiddenCount: 0, rotationId: null };

@Injectable()
export class KeysService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly vault: KeyVault,
    private readonly newKeys: KeyCreator,
    @Inject(KEY_USE) private readonly use: KeyUse,
    @Inject(GIT_KEY_USE) private readonly gitUse: GitKeyUse,
  ) {}

  list(caller: Principal, query: ListSshKeysQuery): Promise<Page<SshKeyView>> {
    return this.units.run(caller.tenantId, async (tx) => {
      const select = tx.getRepository(SshKey).createQueryBuilder('key').where('key.tenantId = :tenantId', caller);
      if (query.name !== undefined) select.andWhere('lower(key.name) = lower(:exactName)', { exactName: query.name });
      if (query.q) select.andWhere('key.name ilike :name', { name: toLikePattern(query.q) });
      const page = await readPage(select, query, (key) => key, NAMED_RECORD_COLUMNS);
      const ids = page.items.map((key) => key.id);
      const usage = await this.use.findUsage(tx, caller, ids);
      const sources = await this.gitUse(tx, caller.tenantId, ids);
      return {
        ...page,
        items: page.items.map((key) => toSshKeyView(key, usage.get(key.id) ?? NO_USAGE, sources.get(key.id) ?? [])),
      };
    });
  }

  get(caller: Principal, id: string): Promise<SshKeyView> {
    return this.units.run(caller.tenantId, async (tx) => this.loadView(tx, caller, id));
  }

  /**
   * Generates or imports a key. Only this response contains a generated private key. @throws Problem 400; 409
   * `duplicate_name`; 429 `too_many_at_once`; 503 `busy`
   */
  async create(caller: Principal, request: CreateSshKeyRequest): Promise<CreatedSshKeyView> {
    const material = await this.newKeys.createMaterial(caller, request);
    const view = await this.units.run(caller.tenantId, async (tx) => {
      const id = await this.newKeys.insertKey(tx, caller, request.name, material);
      const after = await this.loadView(tx, caller, id);
      await this.audit.recordChange(tx, caller, {
        action: request.generate ? 'ssh_key.generate' : 'ssh_key.import',
        after,
      });
      return after;
    });
    return request.generate ? { ...view, privateKey: material.privateKey } : view;
  }

  rename(caller: Principal, id: string, request: UpdateSshKeyRequest, version: number | null): Promise<SshKeyView> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.lockUnchanged(tx, caller, id, version);
      const before = await this.loadView(tx, caller, id);
      await tx
        .getRepository(SshKey)
        .update(
          { tenantId: caller.tenantId, id },
          { ...request, updatedAt: () => 'now()', version: () => 'version + 1' },
        );
      const after = await this.loadView(tx, caller, id);
      await this.audit.recordChange(tx, caller, {
        action: 'ssh_key.update',
        before,
        after,
      });
      return after;
    });
  }

  /** @throws Problem 403 `grant_required`; `in_use` with the visible servers and git sources that use the key */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      await this.lockUnchanged(tx, caller, id, version);
      const before = await this.loadView(tx, caller, id);
      const { usedBy, usedByCount, hiddenCount, rotationId } =
        (await this.use.findUsage(tx, caller, [id])).get(id) ?? NO_USAGE;
      if (rotationId !== null)
        throw conflict(
          'in_use',
          `"${before.name}" takes part in a rotation that is still open. Wait until it ends, or give up its unfinished hosts.`,
          { referrers: [{ type: 'key_rotation', id: rotationId, name: before.name }] },
        );
      if (usedByCount + hiddenCount > 0) {
        const others = hiddenCount > 0 ? ` You cannot see ${hiddenCount} of them; ask an admin about those.` : '';
        throw conflict(
          'in_use',
          `${usedByCount + hiddenCount} server(s) sign in with "${before.name}". Set another key for them first.${others}`,
          {
            referrers: usedBy.map((server) => ({ type: 'server', ...server })),
            hiddenReferrers: hiddenCount,
          },
        );
      }
      if (before.gitSources.length > 0)
        throw conflict('in_use', `Git sources sign in with "${before.name}". Set another credential for them first.`, {
          referrers: before.gitSources.map((source) => ({ type: 'git_source', ...source })),
        });
      await tx.getRepository(SshKey).delete({ tenantId: caller.tenantId, id });
      await this.audit.recordChange(tx, caller, { action: 'ssh_key.delete', before });
    });
  }

  /**
   * Locks a key for a change.
   * @throws Problem 404; 412; 403 `grant_required` if a server with this key is in an environment in which the caller
   *   may not run plans
   */
  async lockUnchanged(tx: EntityManager, caller: Principal, id: string, version: number | null): Promise<SshKey> {
    const key = await this.vault.getLocked(tx, caller, id);
    requireVersion(key, version);
    await this.use.requireRights(tx, caller, id);
    return key;
  }

  async loadView(tx: EntityManager, caller: Principal, id: string): Promise<SshKeyView> {
    const key = await this.vault.getVisibleKey(tx, caller, id);
    const sources = await this.gitUse(tx, caller.tenantId, [id]);
    return toSshKeyView(key, (await this.use.findUsage(tx, caller, [id])).get(id) ?? NO_USAGE, sources.get(id) ?? []);
  }
}
