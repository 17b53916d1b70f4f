import { getPinnedKeys, haveSamePins } from '../../transport/keys/pinned-key.js';
import type { Server } from './server.entity.js';

/**
 * Kinds of server columns.
 * - `host`: decides which machine is reached and how it proves its identity. In a protected environment, a change needs
 *   `approve`.
 * - `place`: the environment. Leaving a protected environment needs `approve`.
 * - `login`: how Runward signs in to the machine.
 * - `label`: names and tags for people, external systems and selectors.
 * - `observed`: written only by checks and runs.
 * - `record`: bookkeeping; a request never sets it.
 */
type ColumnKind = 'host' | 'place' | 'login' | 'label' | 'observed' | 'record';

/**
 * Kind of each server column. Add new columns here: the tests of approval and authorship cover the columns of this map.
 */
export const SERVER_COLUMNS = {
  id: 'record',
  tenantId: 'record',
  environmentId: 'place',
  name: 'label',
  hostname: 'host',
  port: 'host',
  username: 'login',
  sshKeyId: 'login',
  tags: 'label',
  enabled: 'label',
  externalSource: 'label',
  externalId: 'label',
  disabledByImport: 'record',
  hostKey: 'host',
  moreHostKeys: 'host',
  pinnedBy: 'record',
  pinnedHow: 'record',
  jumpServerId: 'host',
  legacyAlgorithms: 'host',
  loginTimeoutSeconds: 'login',
  seenHostKey: 'observed',
  lastCheck: 'observed',
  state: 'observed',
  stateSince: 'observed',
  checkedAt: 'observed',
  latencyMs: 'observed',
  lastReachedAddress: 'observed',
  facts: 'observed',
  factsAt: 'observed',
  knownDouble: 'record',
  createdAt: 'record',
  updatedAt: 'record',
  version: 'record',
} as const satisfies Record<keyof Server, ColumnKind>;

export type HostColumn = {
  [C in keyof typeof SERVER_COLUMNS]: (typeof SERVER_COLUMNS)[C] extends 'host' ? C : never;
}[keyof typeof SERVER_COLUMNS];

export const HOST_COLUMNS = (Object.keys(SERVER_COLUMNS) as (keyof Server)[]).filter(
  (column): column is HostColumn => SERVER_COLUMNS[column] === 'host',
);

const HOST_COLUMN_LABELS: Record<HostColumn, string> = {
  hostname: 'address',
  port: 'port',
  hostKey: 'host keys',
  moreHostKeys: 'host keys',
  jumpServerId: 'jump server',
  legacyAlgorithms: 'legacy algorithms',
};

export type HostColumns = Pick<Server, HostColumn>;

const EMPTY_HOST_COLUMNS: HostColumns = {
  hostname: '',
  port: 22,
  hostKey: null,
  moreHostKeys: [],
  jumpServerId: null,
  legacyAlgorithms: false,
};

const isPinColumn = (column: HostColumn): column is 'hostKey' | 'moreHostKeys' =>
  column === 'hostKey' || column === 'moreHostKeys';

/**
 * Whether the change affects how the host is reached or identified. Forbidding legacy algorithms does not count,
 * because it only makes the identification stronger.
 */
function isChanged(column: HostColumn, before: HostColumns, after: HostColumns): boolean {
  if (isPinColumn(column)) return !haveSamePins(getPinnedKeys(before), getPinnedKeys(after));
  if (column === 'legacyAlgorithms') return after.legacyAlgorithms && !before.legacyAlgorithms;
  return before[column] !== after[column];
}

/** Returns the host columns that the change sets to another value. @param change missing columns keep their value */
export function findChangedHostColumns(
  before: Partial<HostColumns>,
  change: { [C in HostColumn]?: HostColumns[C] | undefined },
): HostColumn[] {
  const known = { ...EMPTY_HOST_COLUMNS, ...before };
  const after = { ...known, ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)) };
  return HOST_COLUMNS.filter((column) => isChanged(column, known, after));
}

export const areOnlyPinColumns = (columns: readonly HostColumn[]): boolean => columns.every(isPinColumn);

export const formatHostColumns = (columns: readonly HostColumn[]): string =>
  [...new Set(columns.map((column) => HOST_COLUMN_LABELS[column]))].join(' and ');
