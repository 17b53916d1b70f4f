import { newId } from '../../../common/ids.js';
import type { Server } from '../../fields/server.entity.js';
import type {
  EntryRefusal,
  ImportEntry,
  ImportOrder,
  NotCarriedRow,
  PlannedEntry,
  StoredFault,
} from '../orders/import-record.js';
import { findAccessFault, findNewServerFault, refuseDuplicateEntries, findHostFault } from './entry-faults.js';
import { getExternalId, type KnownServers } from './known-servers.js';
import { planJumpsOfDrafts } from './known-jump-paths.js';
import { type NeededServers, planPruning } from './plan-pruning.js';
import {
  getContentAfterImport,
  toServerContent,
  type ServerDraft,
  withJumpServer,
  type ServerContent,
} from './server-content.js';
import { listFieldChanges, type ReferenceNames } from './server-differences.js';
import {
  getVariableChanges,
  NO_VARIABLE_CHANGES,
  toPlainVariables,
  findLimitFault,
  type VariableChanges,
} from './variable-changes.js';
import { ReasonCode } from '../../../common/errors/reason-codes.js';

export interface ServerWrite {
  id: string;
  position: number;
  before: Server | null;
  after: ServerContent;
  variables: VariableChanges;
  pruned: boolean;
}

/** Planned changes of an import. They may be applied only if `faults` is empty. */
export interface ImportPlan {
  planned: PlannedEntry[];
  writes: ServerWrite[];
  removals: Server[];
  refused: EntryRefusal[];
  faults: StoredFault[];
  notCarried: NotCarriedRow[];
}

export const LEFT_OUT_SERVER_SUBJECT = 'server';
/** Maximum number of skipped servers in the summary. The entries contain all skipped servers. */
const MAX_LISTED_ENTRIES = 1000;

const NOT_IN_TEXT_POSITION = -1;

const toLower = (name: string) => name.toLowerCase();

/**
 * Plans the action for each server. Pure except for the ids of new servers.
 * @param needed servers that must not be removed
 * @param skipped reason for each further entry to skip, by its position
 */
export function planImport(
  order: ImportOrder,
  entries: readonly ImportEntry[],
  known: KnownServers,
  needed: NeededServers,
  skipped: ReadonlyMap<number, string> = new Map(),
): ImportPlan {
  const reasonOf = ({ position, wanted }: ImportEntry) => skipped.get(position) ?? wanted.leftOut;
  const left = entries.filter((entry) => reasonOf(entry) !== undefined);
  const refusals = new Map<number, { code: ReasonCode; message: string; serverId: string | null }>();
  const drafts: ServerDraft[] = [];
  const matched = new Map<string, ImportEntry>();
  const refuse = (entry: ImportEntry, code: ReasonCode, message: string, serverId: string | null = null) =>
    void refusals.set(entry.position, { code, message, serverId });
  for (const entry of entries.filter((each) => reasonOf(each) === undefined)) {
    const before = findMatchingServer(order, entry, known);
    const earlierMatch = before && matched.get(before.id);
    if (before) matched.set(before.id, entry);
    const fault = earlierMatch
      ? { code: 'duplicate_entry', message: `It is the same server as "${earlierMatch.wanted.name}" in this text.` }
      : before
        ? findAccessFault(order, entry, before, known)
        : findNewServerFault(order, entry);
    if (fault) refuse(entry, fault.code as ReasonCode, fault.message);
    else {
      const now = before && toServerContent(before, toPlainVariables(known.variables.get(before.id)));
      const after = getContentAfterImport(order, entry, before, known.variables.get(before?.id ?? ''));
      const full = findLimitFault(
        now?.variables ?? {},
        after.variables,
        known.variables.get(before?.id ?? '')?.size ?? 0,
      );
      if (full) refuse(entry, full.code, full.message, before?.id);
      else drafts.push({ id: before?.id ?? newId(), entry, before, now, after });
    }
  }
  // Skipped servers still exist in the source, so pruning must keep them.
  const named = left.flatMap((entry) => findMatchingServer(order, entry, known)?.id ?? []);
  const pruning = planPruning(order, known, new Set([...matched.keys(), ...named]), needed);
  const gone = new Set([...matched.keys(), ...pruning.removals.map(({ id }) => id)]);
  const jumps = planJumpsOfDrafts(order, drafts, known, gone);
  for (const { entry, code, message } of jumps.faults) refuse(entry, code, message);
  for (const draft of drafts) {
    const jumpServerId = jumps.ways.get(draft.id) ?? null;
    if (jumpServerId !== draft.after.jumpServerId) draft.after = withJumpServer(draft, jumpServerId);
    const fault = findHostFault(draft, known);
    if (fault) refuse(draft.entry, fault.code, fault.message, draft.before?.id);
  }
  refuseDuplicateEntries(drafts, known, gone, refuse);
  const names: ReferenceNames = {
    environment: (id) => known.allowances.get(id)?.name ?? id,
    jumpServer: jumps.nameOf,
  };
  const planned = [
    ...drafts.filter(({ entry }) => !refusals.has(entry.position)).map((draft) => toPlannedEntry(draft, names)),
    ...entries.flatMap((entry): PlannedEntry[] => {
      const refusal = refusals.get(entry.position);
      if (!refusal) return [];
      const { position, line, wanted } = entry;
      const { message: reason, serverId } = refusal;
      return [{ position, line, name: wanted.name, action: 'refuse', serverId, changes: [], reason }];
    }),
    ...left.map((entry): PlannedEntry => {
      const { position, line, wanted } = entry;
      const server = findMatchingServer(order, entry, known);
      const isVisible = server !== null && known.allowances.get(server.environmentId)?.see === true;
      const [reason, serverId] = [reasonOf(entry) ?? null, isVisible ? server.id : null];
      return { position, line, name: wanted.name, action: 'skip', serverId, changes: [], reason };
    }),
    ...pruning.planned.map((each, index) => ({ ...each, position: entries.length + index, line: null })),
  ].sort((one, other) => one.position - other.position);
  const refused = entries.flatMap(({ position, line, wanted }): EntryRefusal[] => {
    const refusal = refusals.get(position);
    return refusal ? [{ position, line, entry: wanted.name, code: refusal.code, message: refusal.message }] : [];
  });
  return {
    planned,
    writes: [
      ...drafts
        .filter(({ now, after }) => !now || listFieldChanges(now, after, names).length > 0)
        .map(({ id, entry, before, now, after }) => ({
          id,
          position: entry.position,
          before,
          after,
          variables: getVariableChanges(now?.variables ?? {}, after.variables),
          pruned: (before?.disabledByImport ?? false) && !after.enabled,
        })),
      ...pruning.disabled.map((before) => ({
        id: before.id,
        position: NOT_IN_TEXT_POSITION,
        before,
        after: { ...toServerContent(before), enabled: false },
        variables: NO_VARIABLE_CHANGES,
        pruned: true,
      })),
    ],
    removals: pruning.removals,
    refused,
    faults: pruning.faults,
    notCarried: [
      ...left.slice(0, MAX_LISTED_ENTRIES).map((entry) => ({
        ...{ line: entry.line, entry: entry.wanted.name, what: LEFT_OUT_SERVER_SUBJECT },
        ...{ reason: reasonOf(entry) ?? '', places: 1 },
      })),
      ...jumps.notCarried,
    ],
  };
}

function findMatchingServer(
  { source, environmentId }: ImportOrder,
  entry: ImportEntry,
  known: KnownServers,
): Server | null {
  const named = known.byName.get(toLower(entry.wanted.name)) ?? null;
  if (source === null) return named;
  const own = known.byExternalId.get(getExternalId(entry));
  if (own) return own;
  // A source takes over a manually registered server that it names.
  return named?.externalSource === null && named.environmentId === environmentId ? named : null;
}

function toPlannedEntry({ entry, before, now, after }: ServerDraft, names: ReferenceNames): PlannedEntry {
  const changes = listFieldChanges(now, after, names);
  return {
    position: entry.position,
    line: entry.line,
    name: after.name,
    action: before ? (changes.length > 0 ? 'change' : 'leave') : 'create',
    serverId: before?.id ?? null,
    changes,
    reason: null,
  };
}
