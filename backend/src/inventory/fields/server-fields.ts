import { sql, type Sql } from '../../common/database/sql.js';
import { getPinnedKeys, haveSamePins } from '../../transport/keys/pinned-key.js';
import type { Server } from './server.entity.js';
import {
  getSettingSpec,
  completeSettings,
  isSetting,
  SERVER_SETTINGS,
  type ServerSetting,
  type ColumnKind,
} from './server-settings.js';

interface ServerColumnSpec {
  kind: ColumnKind;
  column: string;
  type: 'text' | 'integer' | 'boolean' | 'uuid' | 'jsonb';
}

/**
 * Columns that requests set, in the order of views. SQL, copies, responses and the JSON export derive from it. Requests,
 * forms and the planning of imports list the columns; most of these lists do not compile without a new column. A plain
 * setting of a connection belongs in `SERVER_SETTINGS`, from which more derives. See `docs/development.md`.
 */
export const SET_COLUMNS = {
  name: { kind: 'label', column: 'name', type: 'text' },
  hostname: { kind: 'host', column: 'hostname', type: 'text' },
  port: { kind: 'host', column: 'port', type: 'integer' },
  username: { kind: 'login', column: 'username', type: 'text' },
  sshKeyId: { kind: 'login', column: 'ssh_key_id', type: 'uuid' },
  environmentId: { kind: 'place', column: 'environment_id', type: 'uuid' },
  tags: { kind: 'label', column: 'tags', type: 'jsonb' },
  enabled: { kind: 'label', column: 'enabled', type: 'boolean' },
  externalSource: { kind: 'label', column: 'external_source', type: 'text' },
  externalId: { kind: 'label', column: 'external_id', type: 'text' },
  hostKey: { kind: 'host', column: 'host_key', type: 'jsonb' },
  moreHostKeys: { kind: 'host', column: 'more_host_keys', type: 'jsonb' },
  jumpServerId: { kind: 'host', column: 'jump_server_id', type: 'uuid' },
  ...SERVER_SETTINGS,
} as const satisfies { [C in keyof Server]?: ServerColumnSpec };

type SetColumn = keyof typeof SET_COLUMNS;
type ColumnOfKind<K extends ColumnKind> = {
  [C in SetColumn]: (typeof SET_COLUMNS)[C]['kind'] extends K ? C : never;
}[SetColumn];

/** Kind of each server column. The tests of approval and authorship cover all columns. */
export const SERVER_COLUMNS: Record<keyof Server, ColumnKind> = {
  ...(Object.fromEntries(Object.entries(SET_COLUMNS).map(([name, { kind }]) => [name, kind])) as Record<
    SetColumn,
    ColumnKind
  >),
  id: 'record',
  tenantId: 'record',
  disabledByImport: 'record',
  pinnedBy: 'record',
  pinnedById: 'record',
  pinnedHow: 'record',
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
} satisfies Record<SetColumn, ColumnKind> & Record<Exclude<keyof Server, SetColumn>, 'observed' | 'record'>;

type PinColumn = 'hostKey' | 'moreHostKeys';

const isPinColumn = (column: string): column is PinColumn => column === 'hostKey' || column === 'moreHostKeys';

/** Fields of a server without its host keys. */
export type ServerField = Exclude<SetColumn, PinColumn>;
export type ServerFields = Pick<Server, ServerField>;

const SERVER_FIELD_NAMES = (Object.keys(SET_COLUMNS) as SetColumn[]).filter(
  (column): column is ServerField => !isPinColumn(column),
);

export const pickServerFields = (server: ServerFields): ServerFields =>
  Object.fromEntries(SERVER_FIELD_NAMES.map((field) => [field, server[field]])) as ServerFields;

/** Everything that decides how Runward reaches a host and signs in to it. */
export type ServerConnection = Pick<Server, ColumnOfKind<'host' | 'login'>>;

export const CONNECTION_COLUMNS = Object.entries(SET_COLUMNS).filter(
  ([, { kind }]) => kind === 'host' || kind === 'login',
);

/** Columns of `ServerConnection`. @param alias the table `servers` in the statement */
export const selectConnectionSql = (alias: string): Sql =>
  sql.raw(CONNECTION_COLUMNS.map(([name, { column }]) => `${alias}.${column} as "${name}"`).join(', '));

export type HostColumn = ColumnOfKind<'host'>;
export type HostColumns = Pick<Server, HostColumn>;

export const HOST_COLUMNS = (Object.keys(SET_COLUMNS) as SetColumn[]).filter(
  (column): column is HostColumn => SET_COLUMNS[column].kind === 'host',
);

const HOST_COLUMN_LABELS: Record<Exclude<HostColumn, ServerSetting>, string> = {
  hostname: 'address',
  port: 'port',
  hostKey: 'host keys',
  moreHostKeys: 'host keys',
  jumpServerId: 'jump server',
};

const EMPTY_HOST_COLUMNS: HostColumns = {
  hostname: '',
  port: 22,
  hostKey: null,
  moreHostKeys: [],
  jumpServerId: null,
  ...completeSettings({}),
};

/** Whether the change affects how the host is reached or identified. */
function isChanged(column: HostColumn, before: HostColumns, after: HostColumns): boolean {
  if (isPinColumn(column)) return !haveSamePins(getPinnedKeys(before), getPinnedKeys(after));
  if (before[column] === after[column]) return false;
  return !isSetting(column) || (getSettingSpec(column).needsApproval?.(before[column], after[column]) ?? true);
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
  [
    ...new Set(
      columns.map((column) => (isSetting(column) ? getSettingSpec(column).label : HOST_COLUMN_LABELS[column])),
    ),
  ].join(' and ');
