import type { EntityManager } from 'typeorm';
import { affected, sql, rows, type Sql } from '../../common/database/sql.js';
import type { TokenSource } from '../../tenancy/unbegun-runs.js';

/** Makes all runs that wait for a freeze or run window due now. The engine then checks whether they may begin. */
export async function wakeHeldRuns(tx: EntityManager, tenantId: string): Promise<void> {
  await affected(
    tx,
    sql`update executions set not_before = now()
      where tenant_id = ${tenantId} and status = 'PENDING' and not_before > now()`,
  );
}

/** Tokens of the sources, with the ID of their source. With `token`, it is the recursive relation `tokens`. */
const selectTokensSql = (source: TokenSource, tenantId: string, ids: readonly string[]): Sql =>
  ({
    token: sql`(select id as source, id, prefix from api_tokens where tenant_id = ${tenantId} and id = any (${ids}))
      union
      select tokens.source, child.id, child.prefix from tokens
        join api_tokens child on child.tenant_id = ${tenantId} and child.parent_token_id = tokens.id`,
    trustRule: sql`select trust_rule_id, id, prefix from api_tokens
      where tenant_id = ${tenantId} and trust_rule_id = any (${ids})`,
    member: sql`select user_id, id, prefix from api_tokens where tenant_id = ${tenantId} and user_id = any (${ids})`,
  })[source];

/**
 * Returns the number of unfinished runs per source whose starting token comes from the source and that have begun no
 * step.
 */
export async function countUnbegunRuns(
  tx: EntityManager,
  tenantId: string,
  source: TokenSource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const counts = await rows(
    tx,
    sql<{ source: string; runs: number }>`
      with recursive tokens (source, id, prefix) as (${selectTokensSql(source, tenantId, ids)})
      select tokens.source, count(*)::int as runs from tokens
        join executions e on e.tenant_id = ${tenantId} and e.token_prefix = tokens.prefix and e.finished_at is null
        where not exists (select from execution_steps s where s.execution_id = e.id and s.started_at is not null)
        group by tokens.source`,
  );
  return new Map(counts.map((count) => [count.source, count.runs]));
}
