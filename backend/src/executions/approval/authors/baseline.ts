import type { EntityManager } from 'typeorm';

/** File of a git source at a commit. */
export interface FrozenPath {
  gitSourceId: string;
  path: string;
  commit: string;
}

/** The run that content is compared with: what it used has been approved or confirmed there. */
export interface Baseline {
  executionId: string;
  /** When it froze what it used. */
  createdAt: Date;
  planRevision: number;
  /** Revisions that it used, by id of the record. */
  revisions: ReadonlyMap<string, number>;
  /** Files of git sources that it used. */
  files: readonly FrozenPath[];
}

/** The run that is looked for a baseline of. */
export interface ComparedRun {
  tenantId: string;
  /** Null: it is not stored yet. */
  executionId: string | null;
  planId: string;
  planRevision: number;
  environmentId: string;
}

const WAS_APPROVED = `(select a.state from approvals a where a.execution_id = r.id order by a.round desc limit 1) = 'approved'`;

/**
 * The last run of the plan that began in the environment and is no dry run, with a revision of the plan that is not newer.
 * @param approved whether it has to have been approved
 */
export async function baselineOf(tx: EntityManager, run: ComparedRun, approved: boolean): Promise<Baseline | null> {
  const [row] = await tx.query<
    {
      id: string;
      created_at: Date;
      plan_revision: number;
      revisions: Record<string, number> | null;
      files: FrozenPath[] | null;
    }[]
  >(
    `select last.id, last.created_at, last.plan_revision,
        (select jsonb_object_agg(used.key, used.value->'revision') from (
          select * from jsonb_each(coalesce(e.snapshot #> '{library,scripts}', '{}'))
          union all select * from jsonb_each(coalesce(e.snapshot #> '{library,templates}', '{}'))
          union all select called.value->>'planId', called.value
            from jsonb_array_elements(coalesce(e.snapshot->'calledPlans', '[]')) called
        ) used) as revisions,
        (select jsonb_agg(jsonb_build_object('gitSourceId', git->'gitSourceId', 'path', git->'path', 'commit', git->'commit')) from (
          select value->'git' as git from jsonb_each(coalesce(e.snapshot #> '{library,scripts}', '{}'))
          union all select value->'git' from jsonb_each(coalesce(e.snapshot #> '{library,templates}', '{}'))
          union all select value - 'base64' from jsonb_each(coalesce(e.snapshot #> '{library,files}', '{}'))
        ) used where git is not null) as files
      from (
        select r.id, r.created_at, r.plan_revision from executions r
          where r.tenant_id = $1 and r.plan_id = $2 and r.environment_id = $3 and r.started_at is not null
            and r.execution_mode <> 'dry_run' and r.plan_revision <= $4 and r.id is distinct from $5::uuid
            and (not $6::boolean or ${WAS_APPROVED})
          order by r.started_at desc limit 1
      ) last join executions e on e.id = last.id`,
    [run.tenantId, run.planId, run.environmentId, run.planRevision, run.executionId, approved],
  );
  if (!row) return null;
  return {
    executionId: row.id,
    createdAt: row.created_at,
    planRevision: row.plan_revision,
    revisions: new Map([[run.planId, row.plan_revision], ...Object.entries(row.revisions ?? {})]),
    files: row.files ?? [],
  };
}

/**
 * When the last approved run of any plan began to be prepared in the environment: for what all plans there share, where
 * the plan itself has no baseline. Null: none ran.
 */
export async function lastApprovedThere(tx: EntityManager, run: ComparedRun): Promise<Date | null> {
  const [row] = await tx.query<{ created_at: Date }[]>(
    `select r.created_at from executions r
      where r.tenant_id = $1 and r.environment_id = $2 and r.started_at is not null and r.execution_mode <> 'dry_run'
        and r.id is distinct from $3::uuid and ${WAS_APPROVED}
      order by r.id desc limit 1`,
    [run.tenantId, run.environmentId, run.executionId],
  );
  return row?.created_at ?? null;
}
