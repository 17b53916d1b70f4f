import type { ImportOrder } from '../orders/import-record.js';
import { getExternalId, type KnownServers } from './known-servers.js';
import type { JumpServerCandidate } from './jump-hosts.js';
import { type JumpPlan, planJumps } from './plan-jumps.js';
import { type ServerDraft, isReaddressed } from './server-content.js';

/** The caller may see a server but not the environment of its jump server. */
const OTHER_ENVIRONMENT_TEXT = 'a server in another environment';

/** @param gone ids of servers that the text names or the import removes */
export function planJumpsOfDrafts(
  { source }: ImportOrder,
  drafts: readonly ServerDraft[],
  known: KnownServers,
  gone: ReadonlySet<string>,
): JumpPlan & { nameOf: (id: string) => string } {
  const places: JumpServerCandidate[] = known.machines.filter(({ id }) => !gone.has(id));
  const own = drafts.map((draft) => ({
    entry: draft.entry,
    place: toJumpServerCandidate(draft, source),
    before: draft.before?.jumpServerId ?? null,
    isNew: draft.before === null || isReaddressed(draft.before, draft.after),
  }));
  const names = new Map([...known.machines, ...own.map(({ place }) => place)].map(({ id, name }) => [id, name]));
  const nameOf = (id: string) => names.get(id) ?? OTHER_ENVIRONMENT_TEXT;
  return { ...planJumps(own, { places, jumpPaths: known.jumpServers, nameOf }), nameOf };
}

const toJumpServerCandidate = ({ id, entry, after }: ServerDraft, source: string | null): JumpServerCandidate => ({
  ...{ id, name: after.name, hostname: after.hostname, port: after.port, username: after.username },
  externalId: source === null ? null : getExternalId(entry),
});
