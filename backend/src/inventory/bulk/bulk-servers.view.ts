import { ApiProperty } from '@nestjs/swagger';
import type { ProblemExtras } from '../../common/errors/problem.js';
import { OtherServerView } from '../../common/http/problem.view.js';
import { BULK_OUTCOMES, type BulkOutcome, type PlannedServer } from './plan-bulk.js';
import { Reason } from '../../common/http/reason.view.js';

/** Maximum number of servers in a response. */
const MAX_LISTED_SERVERS = 100;

export class BulkFieldChangeView {
  /**
   * Name of the changed field, as in the server.
   * @example "tags"
   */
  field: string;
  /** As text; null: no value. */
  before: string | null;
  after: string | null;
}

/** Planned or completed action for one server. */
export class BulkServerView {
  serverId: string;
  /** @example "web-1" */
  name: string;
  /** `leave`: already as requested. `refuse`: `reason` says why. */
  @ApiProperty({ enum: BULK_OUTCOMES })
  outcome: BulkOutcome;
  /** Changed fields; empty = nothing to change, or the server is deleted. */
  @ApiProperty({ type: [BulkFieldChangeView] })
  changes: BulkFieldChangeView[];
  /** Why it is refused, with the code of a single change; null: not refused. */
  @ApiProperty({ type: Reason, nullable: true })
  reason: Reason | null;
}

/** Result or preview of a bulk change. */
export class BulkServersView {
  /** True: nothing was changed, the fields describe the planned changes. */
  preview: boolean;
  /** Number of selected servers. */
  matched: number;
  /** Number of changed or deleted servers. */
  changed: number;
  /** Number of servers that are already as requested. */
  unchanged: number;
  /** Number of servers that cannot be changed; `reason` of the item says why. */
  refused: number;
  /** First 100 servers: refused ones, then changed ones, then the rest, each by name. */
  @ApiProperty({ type: [BulkServerView] })
  items: BulkServerView[];
  /** Number of further servers. */
  moreItems: number;
  /** Servers of other environments that refused servers collide with, if visible to the caller: the first 20. */
  @ApiProperty({ type: [OtherServerView] })
  otherServers: OtherServerView[];
  /** Number of those servers that the caller can't see. */
  hiddenServers: number;
}

const OUTCOME_ORDER: Record<BulkOutcome, number> = { refuse: 0, delete: 1, change: 1, leave: 2 };

export function toBulkServersView(
  planned: readonly PlannedServer[],
  preview: boolean,
  { otherServers = [], hiddenServers = 0 }: Pick<ProblemExtras, 'otherServers' | 'hiddenServers'>,
): BulkServersView {
  const count = (...outcomes: BulkOutcome[]) => planned.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const sorted = [...planned].sort(
    (one, other) => OUTCOME_ORDER[one.outcome] - OUTCOME_ORDER[other.outcome] || compareByServerName(one, other),
  );
  return {
    preview,
    matched: planned.length,
    changed: count('change', 'delete'),
    unchanged: count('leave'),
    refused: count('refuse'),
    items: sorted.slice(0, MAX_LISTED_SERVERS).map(({ server, outcome, changes, refusal }) => ({
      serverId: server.id,
      name: server.name,
      outcome,
      changes,
      reason: refusal && { code: refusal.code, text: refusal.message },
    })),
    moreItems: Math.max(0, planned.length - MAX_LISTED_SERVERS),
    otherServers,
    hiddenServers,
  };
}

/** Compares code units, because locale rules are slow for thousands of names. */
const compareByServerName = ({ server: one }: PlannedServer, { server: other }: PlannedServer): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
