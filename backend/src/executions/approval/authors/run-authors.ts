import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { rows, sql } from '../../../common/database/sql.js';
import { AuditActors } from '../../../audit/audit-actors.js';
import { type ChangeRule, type CountedPeriod, findRecordChanges } from '../../../audit/changed-records.js';
import { VariableVault } from '../../../environments/variables/variable-vault.js';
import { ServerVariableVault } from '../../../inventory/variables/server-variable-vault.js';
import { RunPlanReader } from '../../../plans/records/run-plan.reader.js';
import { ScriptReader } from '../../../scripts/script.reader.js';
import { TemplateReader } from '../../../templates/template.reader.js';
import type { Snapshot } from '../../record/execution-row.js';
import { listFrozenSources } from '../../record/run-content.js';
import { type Author, RECORD_AUTHOR_RULES, type RecordAuthorKind } from './author-kinds.js';
import {
  type ApprovedBaseline,
  findBaseline,
  type BaselineRun,
  findLastApprovedConnections,
  type ConnectionUse,
} from './baseline.js';
import type { UsedGitFile } from './commit-authors.js';
import { type UnapprovedRevisions, listUnapprovedRevisions, listUsedRevisions } from './used-revisions.js';

export interface RunContentUse extends BaselineRun {
  planName: string;
  snapshot: Pick<Snapshot, 'library' | 'calledPlans'>;
}

export interface RunConnectionUse {
  executionId: string;
  snapshot: Pick<Snapshot, 'jumpServers' | 'given'>;
}

/** Maximum number of stored authors per round. The first entry of each user is stored even beyond it. */
const MAX_AUTHORS = 300;

/** Finds the authors of content that a run would use for the first time in its environment. */
@Injectable()
export class RunAuthors {
  constructor(
    private readonly plans: RunPlanReader,
    private readonly scripts: ScriptReader,
    private readonly templates: TemplateReader,
    private readonly actors: AuditActors,
    private readonly variables: VariableVault,
    private readonly serverVariables: ServerVariableVault,
  ) {}

  findBaseline(tx: EntityManager, run: BaselineRun, approved: boolean): Promise<ApprovedBaseline | null> {
    return findBaseline(tx, run, approved);
  }

  async listUsedFiles(
    tx: EntityManager,
    { tenantId, planId, planName, planRevision, snapshot }: RunContentUse,
  ): Promise<UsedGitFile[]> {
    const used = listUsedRevisions(
      { id: planId, name: planName, revision: planRevision },
      undefined,
      snapshot.calledPlans,
    );
    return [...listFrozenSources(snapshot.library), ...(await this.plans.readRevisionOrigins(tx, tenantId, used))];
  }

  async listBaselineFiles(
    tx: EntityManager,
    tenantId: string,
    before: ApprovedBaseline | null,
  ): Promise<ApprovedBaseline['files']> {
    if (!before) return [];
    const used = [...before.revisions].map(([id, revision]) => ({ id, revision }));
    return [...before.files, ...(await this.plans.readRevisionOrigins(tx, tenantId, used))];
  }

  /** Returns the authors of plans, scripts and templates, and of the addresses of git sources. */
  async findContentAuthors(tx: EntityManager, run: RunContentUse, before: ApprovedBaseline | null): Promise<Author[]> {
    const plan = { id: run.planId, name: run.planName, revision: run.planRevision };
    const used = listUsedRevisions(plan, run.snapshot.library, run.snapshot.calledPlans ?? []);
    const authors: Author[] = [];
    for (const range of listUnapprovedRevisions(used, before?.revisions ?? null))
      authors.push(...(await this.findRevisionAuthors(tx, run.tenantId, range)));
    return [...authors, ...(await this.findGitSourceAuthors(tx, run, before?.createdAt ?? null))];
  }

  /**
   * Returns the members who changed the git sources that the run uses.
   * @param since null = at any time
   */
  async findGitSourceAuthors(tx: EntityManager, run: RunContentUse, since: Date | null): Promise<Author[]> {
    const sources = new Set((await this.listUsedFiles(tx, run)).map(({ gitSourceId }) => gitSourceId));
    if (sources.size === 0) return [];
    return this.findRecordAuthors(tx, run.tenantId, { git_source: [...sources] }, { since, others: new Map() });
  }

  /**
   * Returns the authors of variables, tags, servers, host keys, jump servers and SSH keys. For a record that the
   * baseline did not use, changes count since the last approved run of any plan that used the record.
   */
  async findConnectionAuthors(
    tx: EntityManager,
    run: BaselineRun & RunConnectionUse,
    before: ApprovedBaseline | null,
  ): Promise<Author[]> {
    const { tenantId, environmentId, snapshot } = run;
    const { now, baselineUse } = await this.findUsedConnections(tx, run, before);
    const known = new Set([...baselineUse.hosts, ...baselineUse.jumpServers, ...baselineUse.sshKeys]);
    const withoutKnown = (ids: readonly string[]) => ids.filter((id) => !known.has(id));
    const unknown = {
      hosts: withoutKnown(now.hosts),
      jumpServers: withoutKnown(now.jumpServers),
      sshKeys: withoutKnown(now.sshKeys),
    };
    const { last, used } = await findLastApprovedConnections(tx, run, unknown);
    const others = new Map(
      Object.values(unknown).flatMap((ids) => ids.map((id) => [id, used.get(id) ?? null] as const)),
    );
    const servers = uniqueIds([...now.hosts, ...baselineUse.hosts, ...now.jumpServers]);
    const ids = {
      environment_variable: await this.variables.listIds(tx, tenantId, environmentId),
      server_variable: [...(await this.serverVariables.findVariableIds(tx, tenantId, servers)), ...servers],
      ...{ server_tag: servers, server: servers, host_key: servers, jump_server: servers, ssh_key: now.sshKeys },
    };
    const owners = { environment_variable: [environmentId], server_variable: servers, ssh_key: now.sshKeys };
    const since = { since: before?.createdAt ?? last, others };
    return this.findRecordAuthors(tx, tenantId, ids, since, { owners, given: snapshot.given });
  }

  private async findUsedConnections(
    tx: EntityManager,
    { tenantId, executionId, snapshot }: BaselineRun & RunConnectionUse,
    before: ApprovedBaseline | null,
  ): Promise<{ now: ConnectionUse; baselineUse: ConnectionUse }> {
    const executionIds = [executionId, ...(before ? [before.executionId] : [])];
    const hosts = await rows(
      tx,
      sql<{ execution_id: string; server_id: string; ssh_key_id: string }>`
        select execution_id, server_id, ssh_key_id from execution_hosts
          where tenant_id = ${tenantId} and execution_id = any (${executionIds})`,
    );
    const by = (id: string | null, jumps: Snapshot['jumpServers']): ConnectionUse => {
      const own = hosts.filter(({ execution_id }) => execution_id === id);
      const jumpKeys = Object.values(jumps ?? {}).map(({ sshKeyId }) => sshKeyId);
      return {
        hosts: own.map(({ server_id }) => server_id),
        jumpServers: Object.keys(jumps ?? {}),
        sshKeys: uniqueIds([...own.map(({ ssh_key_id }) => ssh_key_id), ...jumpKeys]),
      };
    };
    return {
      now: by(executionId, snapshot.jumpServers),
      baselineUse: by(before?.executionId ?? null, before?.jumpServers),
    };
  }

  private async findRecordAuthors(
    tx: EntityManager,
    tenantId: string,
    ids: Partial<Record<RecordAuthorKind, readonly string[]>>,
    since: CountedPeriod,
    {
      owners = {},
      given = [],
    }: { owners?: Partial<Record<RecordAuthorKind, readonly string[]>>; given?: readonly string[] } = {},
  ): Promise<Author[]> {
    const rules = RECORD_AUTHOR_RULES.flatMap(({ of, ...rule }): ChangeRule[] => {
      const resourceIds = ids[rule.kind];
      if (!resourceIds) return [];
      return [{ ...rule, resourceIds, ...(of ? { of: { ...of, ids: owners[rule.kind] ?? [] } } : {}) }];
    });
    const found = await findRecordChanges(tx, tenantId, rules, since, given);
    return found.map(({ kind, userId, name, records }) => ({
      ...{ userId, kind: kind as RecordAuthorKind, name, revision: null },
      detail: records > 1 ? `and ${records - 1} more` : null,
    }));
  }

  private async findRevisionAuthors(
    tx: EntityManager,
    tenantId: string,
    range: UnapprovedRevisions,
  ): Promise<Author[]> {
    const { kind, name, id } = range;
    const found = await { plan: this.plans, script: this.scripts, template: this.templates }[kind].authors(
      tx,
      tenantId,
      range,
    );
    if (found) return found.map(({ userId, revision }) => ({ userId, kind, name, revision }));
    const actors = await this.actors.findActorNames(tx, tenantId, id, [`${kind}.create`, `${kind}.update`]);
    return actors.map((userId) => ({ userId, kind, name, revision: null }));
  }
}

const uniqueIds = (ids: readonly string[]): string[] => [...new Set(ids)];

/** Limits the authors: the first entry of each user, then further entries up to `MAX_AUTHORS` in total. */
export function limitAuthors(authors: readonly Author[]): Author[] {
  const seen = new Set<string>();
  const first: Author[] = [];
  const more: Author[] = [];
  for (const author of authors) {
    const isFirstOfMember = author.userId !== null && !seen.has(author.userId);
    if (author.userId !== null) seen.add(author.userId);
    (isFirstOfMember ? first : more).push(author);
  }
  return [...first, ...more.slice(0, Math.max(0, MAX_AUTHORS - first.length))];
}
