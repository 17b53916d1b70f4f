import { newId } from '../../common/ids.js';
import { hostAddressFault } from '../../common/network/host-address.js';
import { pinsOf } from '../../transport/keys/pinned-key.js';
import { pinsAfter } from '../fields/requested-pins.js';
import type { Server } from '../server.entity.js';
import type { ImportEntry, ImportOrder, PlannedEntry, StoredFault } from './import-record.js';
import { machineKey } from '../machines/duplicate-address.js';
import { externalIdOf, type KnownServers } from './known-servers.js';
import { type NeededServers, planPruning } from './plan-pruning.js';
import { contentOf, differences, type ServerContent } from './server-differences.js';
import {
  changesOf,
  NO_CHANGES,
  plainOf,
  roomFault,
  type StoredVariables,
  type VariableChanges,
  withoutSecrets,
} from './variable-changes.js';

/** A server as it will be stored. */
export interface ServerWrite {
  id: string;
  /** Of its entry in the plan. */
  position: number;
  /** Null: it is registered by this. */
  before: Server | null;
  after: ServerContent;
  /** Variables that it gets, and what they were. */
  variables: VariableChanges;
  /** It is switched off because its source does not name it any more. */
  pruned: boolean;
}

/** All that an import would do. It may be done only when `faults` is empty. */
export interface ImportPlan {
  planned: PlannedEntry[];
  writes: ServerWrite[];
  removals: Server[];
  faults: StoredFault[];
}

/** An entry that nothing stands against so far. */
interface Draft {
  entry: ImportEntry;
  before: Server | null;
  /** As it is stored. */
  now: ServerContent | null;
  after: ServerContent;
}

/** For servers that the text does not name. */
const NOT_IN_TEXT = -1;

const lower = (name: string) => name.toLowerCase();

/**
 * Decides what is to be done with each server. Pure but for the ids of new servers.
 * @param needed what is not removed
 */
export function planImport(
  order: ImportOrder,
  entries: readonly ImportEntry[],
  known: KnownServers,
  needed: NeededServers,
): ImportPlan {
  const nameOf = (environmentId: string) => known.allowances.get(environmentId)?.name ?? environmentId;
  const refusals = new Map<number, { code: string; message: string; serverId: string | null }>();
  const drafts: Draft[] = [];
  const matched = new Map<string, ImportEntry>();
  const refuse = (entry: ImportEntry, code: string, message: string, serverId: string | null = null) =>
    void refusals.set(entry.position, { code, message, serverId });
  for (const entry of entries) {
    const before = matchOf(order, entry, known);
    const twin = before && matched.get(before.id);
    if (before) matched.set(before.id, entry);
    const fault = twin
      ? { code: 'duplicate_entry', message: `It is the same server as "${twin.wanted.name}" in this text.` }
      : before
        ? accessFault(order, before, known)
        : newServerFault(order, entry);
    if (fault) refuse(entry, fault.code, fault.message);
    else {
      const now = before && contentOf(before, plainOf(known.variables.get(before.id)));
      const after = contentAfter(order, entry, before, known.variables.get(before?.id ?? ''));
      const full = roomFault(now?.variables ?? {}, after.variables, known.variables.get(before?.id ?? '')?.size ?? 0);
      if (full) refuse(entry, full.code, full.message, before?.id);
      else drafts.push({ entry, before, now, after });
    }
  }
  const pruning = planPruning(order, known, new Set(matched.keys()), needed);
  const gone = new Set([...matched.keys(), ...pruning.removals.map(({ id }) => id)]);
  for (const draft of drafts) {
    const fault = releaseFault(draft, known);
    if (fault) refuse(draft.entry, fault.code, fault.message, draft.before?.id);
  }
  refuseDoubles(drafts, known, gone, refuse);
  const planned = [
    ...drafts.filter(({ entry }) => !refusals.has(entry.position)).map((draft) => plannedOf(draft, nameOf)),
    ...entries.flatMap((entry): PlannedEntry[] => {
      const refusal = refusals.get(entry.position);
      if (!refusal) return [];
      const { position, line, wanted } = entry;
      const { message: reason, serverId } = refusal;
      return [{ position, line, name: wanted.name, action: 'refuse', serverId, changes: [], reason }];
    }),
    ...pruning.planned.map((each, index) => ({ ...each, position: entries.length + index, line: null })),
  ].sort((one, other) => one.position - other.position);
  const faults = entries.flatMap((entry): StoredFault[] => {
    const refusal = refusals.get(entry.position);
    return refusal
      ? [{ line: entry.line, entry: entry.wanted.name, code: refusal.code, message: refusal.message }]
      : [];
  });
  return {
    planned,
    writes: [
      ...drafts
        .filter(({ now, after }) => !now || differences(now, after, nameOf).length > 0)
        .map(({ entry, before, now, after }) => ({
          id: before?.id ?? newId(),
          position: entry.position,
          before,
          after,
          variables: changesOf(now?.variables ?? {}, after.variables),
          pruned: (before?.disabledByImport ?? false) && !after.enabled,
        })),
      ...pruning.disabled.map((before) => ({
        id: before.id,
        position: NOT_IN_TEXT,
        before,
        after: { ...contentOf(before), enabled: false },
        variables: NO_CHANGES,
        pruned: true,
      })),
    ],
    removals: pruning.removals,
    faults: [...faults, ...pruning.faults],
  };
}

/** The server that the entry describes; null: there is none yet. */
function matchOf({ source, environmentId }: ImportOrder, entry: ImportEntry, known: KnownServers): Server | null {
  const named = known.byName.get(lower(entry.wanted.name)) ?? null;
  if (source === null) return named;
  const own = known.byExternalId.get(externalIdOf(entry));
  if (own) return own;
  // What was registered by hand is taken over by the source that names it.
  return named?.externalSource === null && named.environmentId === environmentId ? named : null;
}

interface Fault {
  code: string;
  message: string;
}

/** Why the requester may not change the server; nobody is told where one is that he may not see. */
function accessFault(order: ImportOrder, before: Server, { allowances }: KnownServers): Fault | null {
  const there = allowances.get(before.environmentId);
  if (!there?.see)
    return { code: 'not_found', message: 'There is such a server already, and you may not see it. Ask an admin.' };
  if (!there.run)
    return {
      code: 'grant_required',
      message: `It is in "${there.name}", which is restricted, and this needs the grant "run" there. Ask an admin for it.`,
    };
  const moves = before.environmentId !== order.environmentId;
  if (moves && (order.source === null || before.externalSource !== order.source))
    return {
      code: 'duplicate_name',
      message: `"${before.name}" is a server of "${there.name}". Names are unique: choose another one, or move that server first.`,
    };
  return null;
}

function newServerFault(order: ImportOrder, { wanted }: ImportEntry): Fault | null {
  if (order.sshKeyId === null)
    return {
      code: 'required',
      message: 'It is a new server, and the import names no SSH key for such. Choose one (sshKeyId).',
    };
  const fault = wanted.hostname === undefined ? hostAddressFault(wanted.name) : null;
  if (fault)
    return {
      code: 'required',
      message: `It is a new server, the text names no address, and its name is none: ${fault}.`,
    };
  if (wanted.username === undefined && order.username === null)
    return {
      code: 'required',
      message:
        'It is a new server, and neither the text nor the import names its login. Name one for new servers (username).',
    };
  return null;
}

/** The server as the text and what is there already say. */
function contentAfter(
  order: ImportOrder,
  entry: ImportEntry,
  before: Server | null,
  variables: StoredVariables | undefined,
): ServerContent {
  const { wanted } = entry;
  const hostname = wanted.hostname ?? before?.hostname ?? wanted.name;
  const port = wanted.port ?? before?.port ?? 22;
  const readdressed = before !== null && (before.hostname !== hostname || before.port !== port);
  const pins = before && !readdressed ? pinsOf(before) : [];
  const origin =
    order.source === null
      ? { externalSource: before?.externalSource ?? null, externalId: before?.externalId ?? null }
      : { externalSource: order.source, externalId: externalIdOf(entry) };
  return {
    name: wanted.name,
    hostname,
    port,
    username: wanted.username ?? before?.username ?? order.username ?? '',
    sshKeyId: before?.sshKeyId ?? order.sshKeyId ?? '',
    environmentId: order.environmentId,
    tags: wanted.tags ?? before?.tags ?? {},
    enabled: wanted.enabled ?? (before?.disabledByImport ? true : (before?.enabled ?? true)),
    ...origin,
    // A pin belongs to where it was seen.
    hostKeys: wanted.hostKey ? pinsAfter(pins, [wanted.hostKey], true) : pins,
    variables: { ...plainOf(variables), ...withoutSecrets(wanted.variables ?? {}, variables) },
  };
}

/** A host leaves a protected environment, and with it the need for approval, only by who could approve a run there. */
function releaseFault({ before, after }: Draft, { allowances }: KnownServers): Fault | null {
  if (!before) return null;
  const stays =
    before.hostname === after.hostname && before.port === after.port && before.environmentId === after.environmentId;
  const there = allowances.get(before.environmentId);
  if (stays || there?.release) return null;
  return {
    code: 'grant_required',
    message: `"${there?.name ?? ''}" is protected: to take a server or its address away from there needs the grant "approve". Ask an admin for it.`,
  };
}

/** Refuses names that are taken, and machines that are registered already, as all would be afterwards. */
function refuseDoubles(
  drafts: readonly Draft[],
  known: KnownServers,
  gone: ReadonlySet<string>,
  refuse: (entry: ImportEntry, code: string, message: string, serverId?: string | null) => void,
): void {
  const names = new Map(
    [...known.byName].filter(([, { id }]) => !gone.has(id)).map(([name, server]) => [name, server.name]),
  );
  const machines = new Map(known.machines.filter(({ id }) => !gone.has(id)).map(({ key, name }) => [key, name]));
  const isOld = ({ before, after }: Draft) =>
    before !== null && before.environmentId === after.environmentId && machineKey(before) === machineKey(after);
  // Those that stay what they are have come first.
  for (const draft of [...drafts].sort((one, other) => Number(isOld(other)) - Number(isOld(one)))) {
    const { entry, before, after } = draft;
    const [name, machine] = [names.get(lower(after.name)), machines.get(machineKey(after))];
    if (name !== undefined)
      refuse(
        entry,
        'duplicate_name',
        `The name is taken by "${name}". Names are unique: choose another one.`,
        before?.id,
      );
    else if (machine !== undefined && !isOld(draft))
      refuse(
        entry,
        'duplicate_address',
        `"${machine}" has this address, port and login already in this environment.`,
        before?.id,
      );
    names.set(lower(after.name), after.name);
    machines.set(machineKey(after), after.name);
  }
}

function plannedOf({ entry, before, now, after }: Draft, nameOf: (environmentId: string) => string): PlannedEntry {
  const changes = differences(now, after, nameOf);
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
