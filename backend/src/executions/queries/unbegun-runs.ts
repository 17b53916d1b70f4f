import type { EntityManager } from 'typeorm';
import type { TokenSource } from '../../tenancy/unbegun-runs.js';

/** SQL for each type of source: tokens of the sources `$2`, with the ID of their source. */
const TOKENS: Readonly<Record<TokenSource, string>> = {
  token: `select id as source, id, prefix from api_tokens where tenant_id = $1 and id = any ($2)
    union
    select tokens.source, child.id, child.prefix from tokens
      join api_tokens child on child.tenant_id = $1 and child.parent_token_id = tokens.id`,
  trustRule: 'select trust_rule_id, id, prefix from api_tokens where tenant_id = $1 and trust_rule_id = any ($2)',
  member: 'select user_id, id, prefix from api_tokens where tenant_id = $1 and user_id = any ($2)',
};

/**
 * Returns the number of unfinished runs per source whose starting token comes from the source and that have begun no
 * step.
 */
export async function unbegunRuns(
  tx: EntityManager,
  tenantId: string,
  source: TokenSource,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.query<{ source: string; runs: number }[]>(
    `with recursive tokens (source, id, prefix) as (${TOKENS[source]})
      select tokens.source, count(*)::int as runs from tokens
        join executions e on e.tenant_id = $1 and e.token_prefix = tokens.prefix and e.finished_at is null
        where not exists (select from execution_steps s where s.execution_id = e.id and s.started_at is not null)
        group by tokens.source`,
    [tenantId, ids],
  );
  return new Map(rows.map((row) => [row.source, row.runs]));
}
