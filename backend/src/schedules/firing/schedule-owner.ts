import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { type Principal, roleIncludes } from '../../common/access/principal.js';
import type { LaterRevision } from '../../revisions/revision-author.js';
import { EnvironmentReader } from '../../environments/environment.reader.js';
import { mayRun } from '../../environments/grant-policy.js';
import { describeSavedContent } from '../../executions/approval/authors/author-kinds.js';
import { type UsedRevision, listUsedRevisions } from '../../executions/approval/authors/used-revisions.js';
import type { PreparedRun } from '../../executions/commands/start/prepare-run.js';
import { RunPlanReader } from '../../plans/records/run-plan.reader.js';
import { ScriptReader } from '../../scripts/script.reader.js';
import { TemplateReader } from '../../templates/template.reader.js';
import { findActiveMember, readMemberNames } from '../../tenancy/directory/member.reader.js';
import type { Schedule } from '../records/schedule.entity.js';
import { type FireResult, notStartedResult } from './fire-result.js';

/** Rights with which a schedule's runs start, and check of who wrote their content. */
@Injectable()
export class ScheduleOwner {
  constructor(
    private readonly environments: EnvironmentReader,
    private readonly plans: RunPlanReader,
    private readonly scripts: ScriptReader,
    private readonly templates: TemplateReader,
  ) {}

  async findOwnerPrincipal(tx: EntityManager, schedule: Schedule): Promise<Principal | FireResult> {
    const { tenantId, ownerId, ownerName } = schedule;
    const member = ownerId === null ? null : await findActiveMember(tx, tenantId, ownerId);
    const why = !member ? 'is disabled' : roleIncludes(member.role, 'operator') ? null : 'is no longer an operator';
    if (!member || why !== null) {
      const what = ownerId === null ? 'was removed' : (why ?? '');
      const reason = `${ownerName}, the owner, ${what}. A member who may run in the environment must take the schedule over.`;
      return notStartedResult('refused', 'owner_not_allowed', reason);
    }
    return {
      ...{
        userId: member.id,
        tenantId,
        tenantName: '',
        email: member.email,
        name: member.name,
        role: member.role,
        // Limited like the credential with which the owner saved the schedule.
        ...{ heldBy: [], limits: schedule.ownerLimits },
      },
      ...{ via: 'schedule', credentialId: schedule.id, tokenPrefix: null, address: '', requestId: '' },
    };
  }

  /**
   * Refuses content that was saved after the owner saved the schedule, by an author who may not run in the environment.
   * Otherwise such an author could run commands with the owner's rights. Null = no such content.
   */
  async findUnauthorizedContent(tx: EntityManager, schedule: Schedule, run: PreparedRun): Promise<FireResult | null> {
    const { tenantId, environmentId, ownerId } = schedule;
    const plan = { id: run.planId, name: run.planName, revision: run.planRevision };
    const used = listUsedRevisions(plan, run.snapshot.library, run.snapshot.calledPlans);
    const later = (await this.savedSince(tx, schedule, used)).filter(
      ({ userId }) => userId !== null && userId !== ownerId,
    );
    if (later.length === 0) return null;
    const authors = [...new Set(later.flatMap(({ userId }) => userId ?? []))];
    const rights = await this.environments.readRights(tx, tenantId, environmentId, authors);
    const foreign = later.find(({ userId }) => {
      const own = userId === null ? null : rights?.of(userId);
      return !own || !mayRun(own);
    });
    if (!foreign) return null;
    const what = used.find(({ id }) => id === foreign.id);
    const name = (await readMemberNames(tx, tenantId, authors)).get(foreign.userId ?? '') ?? 'A removed member';
    const reason = `${name} saved ${what ? describeSavedContent(what) : 'what it runs'} and may not run in "${run.environment.name}". Review it, then take the schedule over or save it again.`;
    return notStartedResult('refused', 'author_not_allowed', reason);
  }

  private async savedSince(
    tx: EntityManager,
    { tenantId, vouchedAt }: Schedule,
    used: readonly UsedRevision[],
  ): Promise<LaterRevision[]> {
    const readers = { plan: this.plans, script: this.scripts, template: this.templates };
    const found = await Promise.all(
      (['plan', 'script', 'template'] as const).map((of) =>
        readers[of].findRevisionsSavedSince(
          tx,
          tenantId,
          used.filter(({ kind }) => kind === of),
          vouchedAt,
        ),
      ),
    );
    return found.flat();
  }
}
