import { MAX_JUMP_SERVERS } from '../../jump-paths.js';
import type { ImportEntry, NotCarriedRow } from '../orders/import-record.js';
import { type JumpLookupResult, isFoundJumpServer, type JumpServerCandidate, JumpServerLookup } from './jump-hosts.js';
import { ReasonCode } from '../../../common/errors/reason-codes.js';

export interface JumpDraft {
  entry: ImportEntry;
  place: JumpServerCandidate;
  before: string | null;
  /** True: the server is new or has a new address, so its previous jump path is not kept. */
  isNew: boolean;
}

export interface KnownJumpPaths {
  /** Remaining servers of the environment that the text does not name. */
  places: readonly JumpServerCandidate[];
  /** Current jump server id for each server of the tenant; null: direct connection. */
  jumpPaths: ReadonlyMap<string, string | null>;
  nameOf: (id: string) => string;
}

export interface JumpFault {
  entry: ImportEntry;
  code: ReasonCode;
  message: string;
}

export interface JumpPlan {
  /** Planned jump server id for each server of the text; null: direct connection. */
  ways: Map<string, string | null>;
  faults: JumpFault[];
  notCarried: NotCarriedRow[];
}

/** Value of `what` for a jump path that is not imported. No variable can have this name. */
export const JUMP_SERVER_SUBJECT = 'jump server';
const MAX_LISTED_FAULTS = 200;

function resolveRequestedJumpPath(
  { entry: { wanted } }: JumpDraft,
  places: JumpServerLookup,
): JumpLookupResult[] | null {
  if (wanted.jumpServer !== undefined)
    return wanted.jumpServer === null ? [] : [places.lookUpByNameOrId(wanted.jumpServer)];
  return wanted.jumps?.map((jump) => places.lookUpByAddress(jump)) ?? null;
}

export const hasJumpPath = ({ wanted }: ImportEntry): boolean =>
  wanted.jumpServer !== undefined || wanted.jumps !== undefined || wanted.unreadWay !== undefined;

/**
 * Plans the jump servers of a text's servers. A jump path of several hosts also applies to its hosts: each is reached
 * through the previous host, unless the text or the inventory says otherwise.
 */
export function planJumps(drafts: readonly JumpDraft[], known: KnownJumpPaths): JumpPlan {
  const places = new JumpServerLookup(
    drafts.map(({ place }) => place),
    known.places,
  );
  const byId = new Map(drafts.map((draft) => [draft.place.id, draft]));
  const jumpServers = new Map<string, string | null>(drafts.map(({ place, before }) => [place.id, before]));
  const jumpServerOf = (id: string) => (jumpServers.has(id) ? jumpServers.get(id) : known.jumpPaths.get(id)) ?? null;
  const leftOutPaths = new LeftOutPaths();
  const jumpChains = new Map<JumpDraft, JumpServerCandidate[]>();
  const faults: JumpFault[] = [];
  for (const draft of drafts) {
    const jumpPath = resolveRequestedJumpPath(draft, places);
    const { unreadWay } = draft.entry.wanted;
    if (jumpPath === null) {
      if (unreadWay !== undefined && draft.isNew) faults.push(createJumpPathFault(draft, unreadWay));
      continue;
    }
    const missing = jumpPath.find((each) => !isFoundJumpServer(each));
    if (jumpPath.length > MAX_JUMP_SERVERS) faults.push(createPathTooLongFault(draft));
    else if (missing && !isFoundJumpServer(missing)) {
      if (draft.isNew) faults.push(createJumpPathFault(draft, missing.reason));
      else leftOutPaths.add(draft, missing.reason);
    } else {
      jumpChains.set(draft, jumpPath.filter(isFoundJumpServer));
      jumpServers.set(draft.place.id, jumpPath.filter(isFoundJumpServer).at(-1)?.id ?? null);
    }
  }
  const hasNoJumpPath = (draft: JumpDraft | undefined): boolean =>
    draft !== undefined && draft.before === null && !hasJumpPath(draft.entry);
  for (const chain of jumpChains.values())
    for (const [index, place] of chain.entries()) {
      const through = chain[index - 1];
      if (through && hasNoJumpPath(byId.get(place.id)) && jumpServerOf(place.id) === null)
        jumpServers.set(place.id, through.id);
    }
  faults.push(...leaveOutContradictedPaths(jumpChains, jumpServers, jumpServerOf, leftOutPaths));
  return {
    ways: jumpServers,
    faults: [...faults, ...findPathFaults(drafts, jumpServers, known, jumpServerOf)],
    notCarried: leftOutPaths.rows(),
  };
}

const createPathTooLongFault = ({ entry, place }: JumpDraft): JumpFault => {
  const path = [place.name, ...(entry.wanted.jumps ?? []).map(({ host }) => host).toReversed()];
  const message = `A host is reached through at most ${MAX_JUMP_SERVERS} jump servers: ${path.join(' → ')}.`;
  return { entry, code: 'jump_path', message };
};

/** If a jump path can't be imported, the server is not registered: a direct connection would be wrong. */
const createJumpPathFault = ({ entry }: JumpDraft, message: string): JumpFault => ({
  entry,
  code: 'jump_path',
  message,
});

/** Removes jump paths that contradict the jump server of a host on them. */
function leaveOutContradictedPaths(
  jumpChains: ReadonlyMap<JumpDraft, readonly JumpServerCandidate[]>,
  jumpServers: Map<string, string | null>,
  jumpServerOf: (id: string) => string | null,
  leftOutPaths: LeftOutPaths,
): JumpFault[] {
  const faults: JumpFault[] = [];
  const dependentDrafts = new Map<string, JumpDraft[]>();
  for (const [draft, chain] of jumpChains)
    for (const { id } of chain.slice(1)) {
      const others = dependentDrafts.get(id);
      if (others) others.push(draft);
      else dependentDrafts.set(id, [draft]);
    }
  const left = new Set<JumpDraft>();
  const waiting = [...jumpChains.keys()];
  for (let draft = waiting.pop(); draft; draft = waiting.pop()) {
    const chain = jumpChains.get(draft) ?? [];
    const other = chain.find((place, index) => index > 0 && jumpServerOf(place.id) !== chain[index - 1]?.id);
    if (!other || left.has(draft)) continue;
    left.add(draft);
    const reason = `The jump host "${other.name}" is itself reached through a different server than this text states.`;
    if (draft.isNew) faults.push(createJumpPathFault(draft, reason));
    else leftOutPaths.add(draft, reason);
    jumpServers.set(draft.place.id, draft.before);
    waiting.push(...(dependentDrafts.get(draft.place.id) ?? []));
  }
  return faults;
}

/** Returns a fault for each server whose jump path the text would make circular or too long. */
function findPathFaults(
  drafts: readonly JumpDraft[],
  jumpServers: ReadonlyMap<string, string | null>,
  known: KnownJumpPaths,
  jumpServerOf: (id: string) => string | null,
): JumpFault[] {
  const changed = new Map(
    drafts.filter(({ place, before }) => jumpServers.get(place.id) !== before).map((draft) => [draft.place.id, draft]),
  );
  if (changed.size === 0) return [];
  const faults = new Map<JumpDraft, JumpFault>();
  for (const start of new Set([...changed.keys(), ...known.jumpPaths.keys()])) {
    const path = [start];
    for (
      let next = jumpServerOf(start);
      next !== null && path.length <= MAX_JUMP_SERVERS + 1;
      next = jumpServerOf(next)
    ) {
      path.push(next);
      if (path.indexOf(next) < path.length - 1) break;
    }
    const again = path.indexOf(path.at(-1) ?? '');
    const isCycle = again < path.length - 1;
    if (!isCycle && path.length <= MAX_JUMP_SERVERS + 1) continue;
    const wrong = path.slice(isCycle ? again : 0);
    const faultyDrafts = wrong.flatMap((id) => changed.get(id) ?? []);
    const [draft] = faultyDrafts;
    // Other servers on the same path would get the same message.
    if (!draft || faultyDrafts.some((each) => faults.has(each))) continue;
    const pathText = wrong.map(known.nameOf).join(' → ');
    const { entry } = draft;
    const message = isCycle
      ? `"${known.nameOf(path[again] ?? '')}" would be reached through itself: ${pathText}. Choose another jump server.`
      : `A host is reached through at most ${MAX_JUMP_SERVERS} jump servers: ${pathText}.`;
    faults.set(draft, { entry, code: 'jump_path', message });
  }
  return [...faults.values()];
}

class LeftOutPaths {
  private readonly found = new Map<string, NotCarriedRow>();

  add({ entry: { line, wanted } }: JumpDraft, reason: string): void {
    const known = this.found.get(reason);
    if (known) this.found.set(reason, { ...known, entry: null, places: known.places + 1 });
    else if (this.found.size < MAX_LISTED_FAULTS)
      this.found.set(reason, { line, entry: wanted.name, what: JUMP_SERVER_SUBJECT, reason, places: 1 });
    else {
      const more = 'Further jump hosts are not servers of this text or of the environment.';
      const row = this.found.get(more);
      this.found.set(
        more,
        row
          ? { ...row, places: row.places + 1 }
          : { line, entry: null, what: JUMP_SERVER_SUBJECT, reason: more, places: 1 },
      );
    }
  }

  rows(): NotCarriedRow[] {
    return [...this.found.values()];
  }
}
