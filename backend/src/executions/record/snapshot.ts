import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { sql } from '../../common/database/sql.js';
import { toSelectorLabels, type UsableFact } from '../../inventory/facts/host-facts.js';
import type { VariableValue } from '../../variables/variable-value.js';
import type { TargetServer } from '../../inventory/run-targets.reader.js';
import { CONNECTION_COLUMNS, type ServerConnection, SET_COLUMNS } from '../../inventory/fields/server-fields.js';
import {
  getSettingSpec,
  completeSettings,
  SETTING_NAMES,
  isPartOfDigest,
  type ServerSetting,
  type ServerSettings,
} from '../../inventory/fields/server-settings.js';
import type { Snapshot } from './execution-row.js';

type ColumnOf<C extends keyof typeof SET_COLUMNS> = (typeof SET_COLUMNS)[C]['column'];

/** Connection in the columns of `execution_hosts`. A setting that is null or absent has its default. */
export type FrozenConnection = {
  [C in Exclude<keyof ServerConnection, ServerSetting | 'moreHostKeys'> as ColumnOf<C>]: ServerConnection[C];
} & { [S in ServerSetting as ColumnOf<S>]?: ServerConnection[S] | null } & {
  more_host_keys: ServerConnection['moreHostKeys'] | null;
};

export interface FrozenHost extends FrozenConnection {
  server_id: string;
  ordinal: number;
  name: string;
  /** Includes the facts that the plan uses, as `facts.<name>`. */
  tags: Record<string, string>;
  /** Null or absent: none. They override the variables of the run. */
  variables?: Record<string, VariableValue> | null;
  /** Secrets of the server at the start, by name; null or absent: none. */
  secrets?: Record<string, HostSecret> | null;
}

/** Secret of one host. Its value is one of the run's sealed secrets. */
export interface HostSecret {
  /** Changes whenever the server's secret changes. */
  version: string;
  /** Key of the value (`toHostSecretKey`); null: the secret was deleted before the run was approved again. */
  at: string | null;
}

const FROZEN_HOST_COLUMNS: readonly { column: string; type: string }[] = [
  { column: 'server_id', type: 'uuid' },
  { column: 'ordinal', type: 'integer' },
  { column: 'name', type: 'text' },
  ...CONNECTION_COLUMNS.map(([, { column, type }]) => ({ column, type })),
  { column: 'tags', type: 'jsonb' },
  { column: 'variables', type: 'jsonb' },
  { column: 'secrets', type: 'jsonb' },
];

export const FROZEN_HOST_COLUMNS_SQL = sql.raw(FROZEN_HOST_COLUMNS.map(({ column }) => column).join(', '));
export const FROZEN_HOST_TYPES_SQL = sql.raw(
  FROZEN_HOST_COLUMNS.map(({ column, type }) => `${column} ${type}`).join(', '),
);

const freezeSettings = (connection: ServerSettings): Partial<FrozenConnection> =>
  Object.fromEntries(
    SETTING_NAMES.map((setting) => {
      const { column, default: usual } = getSettingSpec(setting);
      return [column, connection[setting] === usual ? null : connection[setting]];
    }),
  );

const thawSettings = (frozen: FrozenConnection): ServerSettings =>
  completeSettings(Object.fromEntries(SETTING_NAMES.map((setting) => [setting, frozen[SET_COLUMNS[setting].column]])));

export const freezeHost = (server: TargetServer, ordinal: number, facts: readonly UsableFact[]): FrozenHost => ({
  server_id: server.id,
  ordinal,
  name: server.name,
  hostname: server.hostname,
  port: server.port,
  username: server.username,
  ssh_key_id: server.sshKeyId,
  host_key: server.hostKey,
  more_host_keys: server.moreHostKeys.length > 0 ? server.moreHostKeys : null,
  jump_server_id: server.jumpServerId,
  ...freezeSettings(server),
  tags: toSelectorLabels(server, facts),
});

export const thawConnection = (frozen: FrozenConnection): ServerConnection => ({
  hostname: frozen.hostname,
  port: frozen.port,
  username: frozen.username,
  sshKeyId: frozen.ssh_key_id,
  hostKey: frozen.host_key,
  moreHostKeys: frozen.more_host_keys ?? [],
  jumpServerId: frozen.jump_server_id,
  ...thawSettings(frozen),
});

/**
 * Returns the SHA-256 of everything that decides what runs where, as canonical JSON (RFC 8785). Excludes the mode, so
 * that a dry run and its real run have the same digest.
 * @param secrets keyed hashes of the secret values, by name
 */
export const computeDigest = (
  snapshot: Snapshot,
  hosts: readonly FrozenHost[],
  environmentId: string,
  secrets: Record<string, string>,
): string => {
  // Excluded: where a value comes from does not change what runs.
  const { given: _, valueSources: __, ...given } = snapshot;
  const frozen = snapshot.jumpServers
    ? { ...given, jumpServers: omitSettingsOutsideDigest(snapshot.jumpServers) }
    : given;
  const { strategy, ...plan } = snapshot.plan;
  // Omits the default strategy, so that digests from before strategies existed stay valid.
  const content = strategy === 'barrier' ? plan : snapshot.plan;
  // Writes the members of the object in sorted order. Hashes in pieces, because ten thousand hosts are many megabytes.
  const hash = createHash('sha256');
  hash.update(`{"environmentId":${toCanonicalJson(environmentId)},"hosts":[`);
  for (const [index, host] of hosts.entries())
    hash.update(`${index > 0 ? ',' : ''}${toCanonicalJson(toDigestedHost(host))}`);
  hash.update(`],"secrets":${toCanonicalJson(secrets)},"snapshot":${toCanonicalJson({ ...frozen, plan: content })}}`);
  return hash.digest('hex');
};

const omitSettingsOutsideDigest = (jumps: NonNullable<Snapshot['jumpServers']>): object =>
  Object.fromEntries(Object.entries(jumps).map(([id, jump]) => [id, omitKeys(jump, SETTINGS_OUTSIDE_DIGEST)]));

const toCanonicalJson = (value: unknown): string => canonicalize(value) ?? '';

const SETTINGS_OUTSIDE_DIGEST = SETTING_NAMES.filter((setting) => !isPartOfDigest(setting));
const COLUMNS_OUTSIDE_DIGEST = SETTINGS_OUTSIDE_DIGEST.map((setting) => SET_COLUMNS[setting].column);
/** Columns that the digest contains only with a value, so that digests from before these columns existed stay valid. */
const OPTIONAL_COLUMNS = [
  ...['more_host_keys', 'jump_server_id', 'variables', 'secrets'],
  ...SETTING_NAMES.map((setting) => SET_COLUMNS[setting].column),
];

const omitKeys = (record: object, keys: readonly string[]): object =>
  Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));

const toDigestedHost = (host: FrozenHost): object =>
  omitKeys(host, [
    ...COLUMNS_OUTSIDE_DIGEST,
    ...OPTIONAL_COLUMNS.filter((column) => !host[column as keyof FrozenHost]),
  ]);
