import { ApiProperty } from '@nestjs/swagger';
import type { ProblemExtras } from '../../common/errors/problem.js';
import { OtherServerView } from '../../common/http/problem.view.js';
import { BULK_OUTCOMES, type BulkOutcome, type PlannedServer } from './plan-bulk.js';

/** Most servers that an answer names. */
const LISTED = 100;

export class BulkFieldChangeView {
  /** @example "tags" */
  field: string;
  /** In words; null: there was nothing. */
  before: string | null;
  after: string | null;
}

/** What is done with one server. */
export class BulkServerView {
  serverId: string;
  /** @example "web-1" */
  name: string;
  /** `leave`: it is as wanted already. `refuse`: `reason` says why. */
  @ApiProperty({ enum: BULK_OUTCOMES })
  outcome: BulkOutcome;
  @ApiProperty({ type: [BulkFieldChangeView] })
  changes: BulkFieldChangeView[];
  /** Code of the refusal, as that of a single change; null: it is not refused. */
  code: string | null;
  reason: string | null;
}

/** What a change of many servers does, or would do. */
export class BulkServersView {
  /** Nothing was changed: this is what would be. */
  preview: boolean;
  /** Servers that are meant. */
  matched: number;
  /** Changed or deleted ones. */
  changed: number;
  /** Those that are as wanted already. */
  unchanged: number;
  refused: number;
  /** The first 100: refused ones, then those that change, then the others, each by name. */
  @ApiProperty({ type: [BulkServerView] })
  items: BulkServerView[];
  /** How many further servers there are. */
  moreItems: number;
  /** Servers of other environments that refused servers collide with, as far as the caller may see them: the first 20. */
  @ApiProperty({ type: [OtherServerView] })
  otherServers: OtherServerView[];
  /** How many of those servers the caller may not see. */
  hiddenServers: number;
}

const ORDER: Record<BulkOutcome, number> = { refuse: 0, delete: 1, change: 1, leave: 2 };

export function toBulkView(
  planned: readonly PlannedServer[],
  preview: boolean,
  { otherServers = [], hiddenServers = 0 }: Pick<ProblemExtras, 'otherServers' | 'hiddenServers'>,
): BulkServersView {
  const count = (...outcomes: BulkOutcome[]) => planned.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const sorted = [...planned].sort((one, other) => ORDER[one.outcome] - ORDER[other.outcome] || byName(one, other));
  return {
    preview,
    matched: planned.length,
    changed: count('change', 'delete'),
    unchanged: count('leave'),
    refused: count('refuse'),
    items: sorted.slice(0, LISTED).map(({ server, outcome, changes, refusal }) => ({
      serverId: server.id,
      name: server.name,
      outcome,
      changes,
      code: refusal?.code ?? null,
      reason: refusal?.message ?? null,
    })),
    moreItems: Math.max(0, planned.length - LISTED),
    otherServers,
    hiddenServers,
  };
}

/** By code units: comparing thousands of names as a language does takes long. */
const byName = ({ server: one }: PlannedServer, { server: other }: PlannedServer): number =>
  one.name < other.name ? -1 : one.name > other.name ? 1 : 0;
