import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail.js';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { conflict } from '../common/errors/problem.js';
import { demandVersion } from '../common/http/if-match.js';
import { likePattern, type Page, readPage } from '../common/http/page.js';
import { newId } from '../common/ids.js';
import { Environment } from './environment.entity.js';
import { EnvironmentReader } from './environment.reader.js';
import type { CreateEnvironmentRequest, ListEnvironmentsQuery, UpdateEnvironmentRequest } from './environments.dto.js';
import { type EnvironmentView, toEnvironmentView } from './environments.view.js';

const RESOURCE = 'environment';

@Injectable()
export class EnvironmentsService {
  constructor(
    private readonly units: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly reader: EnvironmentReader,
  ) {}

  list(caller: Principal, query: ListEnvironmentsQuery): Promise<Page<EnvironmentView>> {
    return this.units.run(caller.tenantId, (tx) => {
      const select = tx
        .getRepository(Environment)
        .createQueryBuilder('environment')
        .where('environment.tenantId = :tenantId', caller);
      if (query.q) select.andWhere('environment.name ilike :name', { name: likePattern(query.q) });
      return readPage(select, query, toEnvironmentView);
    });
  }

  get(caller: Principal, id: string): Promise<EnvironmentView> {
    return this.units.run(caller.tenantId, async (tx) => toEnvironmentView(await this.reader.visible(tx, caller, id)));
  }

  create(caller: Principal, request: CreateEnvironmentRequest): Promise<EnvironmentView> {
    const id = newId();
    return this.units.run(caller.tenantId, async (tx) => {
      await tx.getRepository(Environment).insert({
        id,
        tenantId: caller.tenantId,
        name: request.name,
        description: request.description ?? '',
      });
      const after = toEnvironmentView(await this.reader.visible(tx, caller, id));
      await this.audit.record(tx, caller, {
        action: 'environment.create',
        resourceType: RESOURCE,
        resourceId: id,
        resourceName: after.name,
        after,
      });
      return after;
    });
  }

  update(
    caller: Principal,
    id: string,
    request: UpdateEnvironmentRequest,
    version: number | null,
  ): Promise<EnvironmentView> {
    return this.units.run(caller.tenantId, async (tx) => {
      const environment = await this.reader.held(tx, caller, id);
      demandVersion(environment, version);
      const before = toEnvironmentView(environment);
      await tx
        .getRepository(Environment)
        .update(
          { tenantId: caller.tenantId, id },
          { ...request, updatedAt: () => 'now()', version: () => 'version + 1' },
        );
      const after = toEnvironmentView(await this.reader.visible(tx, caller, id));
      await this.audit.record(tx, caller, {
        action: 'environment.update',
        resourceType: RESOURCE,
        resourceId: id,
        resourceName: after.name,
        before,
        after,
      });
      return after;
    });
  }

  /** @throws Problem 409 `in_use` with the referrers while servers or plans belong to it */
  delete(caller: Principal, id: string, version: number | null): Promise<void> {
    return this.units.run(caller.tenantId, async (tx) => {
      const environment = await this.reader.held(tx, caller, id);
      demandVersion(environment, version);
      const referrers = await tx.query<{ type: string; id: string; name: string }[]>(
        `(select 'server' as type, id, name from servers where tenant_id = $1 and environment_id = $2 order by name limit 20)
          union all (select 'plan' as type, id, name from plans where tenant_id = $1 and environment_id = $2 order by name limit 20)`,
        [caller.tenantId, id],
      );
      if (referrers.length > 0) {
        throw conflict('in_use', `Servers or plans still belong to "${environment.name}". Move or delete them first.`, {
          referrers,
        });
      }
      const [busy] = await tx.query<unknown[]>(
        'select 1 from executions where tenant_id = $1 and environment_id = $2 and finished_at is null limit 1',
        [caller.tenantId, id],
      );
      if (busy)
        throw conflict('in_use', `A run in "${environment.name}" has not finished. Wait for it or cancel it first.`);
      await tx.getRepository(Environment).delete({ tenantId: caller.tenantId, id });
      await this.audit.record(tx, caller, {
        action: 'environment.delete',
        resourceType: RESOURCE,
        resourceId: id,
        resourceName: environment.name,
        before: toEnvironmentView(environment),
      });
    });
  }
}
