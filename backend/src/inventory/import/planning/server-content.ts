import { type PinnedKey, getPinnedKeys } from '../../../transport/keys/pinned-key.js';
import { getPinsAfterChange } from '../../fields/requested-pins.js';
import type { Server } from '../../fields/server.entity.js';
import { pickServerFields, type ServerFields } from '../../fields/server-fields.js';
import { completeSettings } from '../../fields/server-settings.js';
import type { ImportEntry, ImportOrder } from '../orders/import-record.js';
import { getExternalId } from './known-servers.js';
import { toPlainVariables, type StoredVariables, type PlainVariables, excludeSecrets } from './variable-changes.js';

export type ServerContent = ServerFields & {
  hostKeys: readonly PinnedKey[];
  variables: PlainVariables;
};

export interface ServerDraft {
  id: string;
  entry: ImportEntry;
  before: Server | null;
  now: ServerContent | null;
  after: ServerContent;
}

export const toServerContent = (server: Server, variables: PlainVariables = {}): ServerContent => ({
  ...pickServerFields(server),
  hostKeys: getPinnedKeys(server),
  variables,
});

/**
 * Returns whether the server gets another address or jump path, so that its host keys may belong to another machine.
 */
export const isReaddressed = (before: Server | null, after: ServerContent): boolean =>
  before !== null &&
  (before.hostname !== after.hostname || before.port !== after.port || before.jumpServerId !== after.jumpServerId);

/** Returns the server content after the import. The jump server stays the current one. */
export function getContentAfterImport(
  order: ImportOrder,
  entry: ImportEntry,
  before: Server | null,
  variables: StoredVariables | undefined,
): ServerContent {
  const { wanted } = entry;
  const hostname = wanted.hostname ?? before?.hostname ?? wanted.name;
  const port = wanted.port ?? before?.port ?? 22;
  const origin =
    order.source === null
      ? { externalSource: before?.externalSource ?? null, externalId: before?.externalId ?? null }
      : { externalSource: order.source, externalId: getExternalId(entry) };
  const content = {
    name: wanted.name,
    hostname,
    port,
    username: wanted.username ?? before?.username ?? order.username ?? '',
    sshKeyId: before?.sshKeyId ?? order.sshKeyId ?? '',
    environmentId: order.environmentId,
    tags: wanted.tags ?? before?.tags ?? {},
    enabled: wanted.enabled ?? (before?.disabledByImport ? true : (before?.enabled ?? true)),
    ...origin,
    jumpServerId: before?.jumpServerId ?? null,
    ...completeSettings({ ...before, ...wanted }),
    hostKeys: [],
    variables: { ...toPlainVariables(variables), ...excludeSecrets(wanted.variables ?? {}, variables) },
  };
  return { ...content, hostKeys: getKeysAfterImport(entry, before, content) };
}

export function withJumpServer({ entry, before, after }: ServerDraft, jumpServerId: string | null): ServerContent {
  const content = { ...after, jumpServerId };
  return { ...content, hostKeys: getKeysAfterImport(entry, before, content) };
}

function getKeysAfterImport(
  { wanted }: ImportEntry,
  before: Server | null,
  after: ServerContent,
): readonly PinnedKey[] {
  // A pin is valid only for the address at which the key was seen.
  const pins = before && !isReaddressed(before, after) ? getPinnedKeys(before) : [];
  if (wanted.hostKeys) return wanted.hostKeys;
  return wanted.hostKey ? getPinsAfterChange(pins, [wanted.hostKey], true) : pins;
}
