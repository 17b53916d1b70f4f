import type { EntityManager } from 'typeorm';
import { affected, sql } from '../../../backend/src/common/database/sql.js';
import { toSignedInMessage } from '../../../backend/src/inventory/fields/check-state.js';
import type { ServerCheck } from '../../../backend/src/inventory/fields/server.entity.js';
import type { RunBatch, SeedRun } from '../invent/invent-runs.js';
import type { CourseResult, RunCourse } from '../invent/run-course.js';

/** Reachability of a server that a run found. */
interface FoundServer {
  id: string;
  check: ServerCheck;
}

interface Known extends FoundServer {
  /** Time since when the state is the same as in the latest finding. */
  since: string;
  /** Whether the state changed within the batch, so that the stored `state_since` is obsolete. */
  changed: boolean;
}

/** Stores the reachability of servers that the runs found. Batches must be in chronological order. */
export async function storeServerStates(tx: EntityManager, tenantId: string, batch: RunBatch): Promise<void> {
  const states = toKnownStates(batch.runs.flatMap((run) => findingsOf(run, batch.courses[run.course] as RunCourse)));
  await affected(
    tx,
    sql`update servers s set last_check = x."check", state = x."check"->>'state',
        checked_at = (x."check"->>'at')::timestamptz,
        state_since = case when s.state = x."check"->>'state' and not x.changed then s.state_since else x.since end
      from jsonb_to_recordset(${JSON.stringify(states)}::jsonb) as x (id uuid, "check" jsonb, since timestamptz, changed boolean)
      where s.tenant_id = ${tenantId} and s.id = x.id`,
  );
}

const USUAL_LOGIN = { certificateUnused: null, legacyAlgorithmsUsed: null };

function findingsOf({ id, at: begun, pace }: SeedRun, { start, results }: RunCourse): FoundServer[] {
  const logins = new Map(start.hosts.map(({ server_id, username }) => [server_id, username]));
  return results.flatMap(({ serverId, startMs, dispatchedMs, outcome }: CourseResult): FoundServer[] => {
    const isUnreachable = outcome.status === 'UNREACHABLE';
    // The run never connected to the host.
    if (!isUnreachable && dispatchedMs === null) return [];
    const at = new Date(begun.getTime() + Math.round(startMs * pace)).toISOString();
    const message = isUnreachable
      ? (outcome.message ?? '')
      : toSignedInMessage(logins.get(serverId) ?? '', USUAL_LOGIN);
    const state = isUnreachable ? 'unreachable' : 'reachable';
    return [{ id: serverId, check: { at, state, message, source: 'run', executionId: id } }];
  });
}

function toKnownStates(findings: readonly FoundServer[]): Known[] {
  const known = new Map<string, Known>();
  for (const found of [...findings].sort((a, b) => (a.check.at < b.check.at ? -1 : 1))) {
    const before = known.get(found.id);
    const same = before?.check.state === found.check.state;
    const since = before && same ? before.since : found.check.at;
    known.set(found.id, { ...found, since, changed: before !== undefined && (before.changed || !same) });
  }
  return [...known.values()];
}
