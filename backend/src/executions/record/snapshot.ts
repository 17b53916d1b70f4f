import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { sql } from '../../common/database/sql.js';
import { toSelectorLabels, type UsableFact } from '../../inventory/facts/host-facts.js';
import type { VariableValue } from '../../variables/variable-value.js';
import type { TargetServer } from '../../inventory/run-targets.reader.js';
import type { Server } from '../../inventory/fields/server.entity.js';
import type { Snapshot } from './execution-row.js';

export interface FrozenHost {
  server_id: string;
  ordinal: number;
  name: string;
  hostname: string;
  port: number;
  username: string;
  ssh_key_id: string;
  host_key: Server['hostKey'];
  more_host_keys: Server['moreHostKeys'] | null;
  /** ID in `Snapshot.jumpServers`; null: direct connection. */
  jump_server_id: string | null;
  /** Null or absent: false. */
  legacy_algorithms?: boolean | null;
  /** Null or absent: the default. Not part of the digest, because it changes neither what runs nor where. */
  login_timeout_seconds?: number | null;
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

export const FROZEN_HOST_COLUMNS_SQL = sql`server_id, ordinal, name, hostname, port, username, ssh_key_id, host_key, more_host_keys,
  jump_server_id, legacy_algorithms, login_timeout_seconds, tags, variables, secrets`;

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
  legacy_algorithms: server.legacyAlgorithms || null,
  login_timeout_seconds: server.loginTimeoutSeconds,
  tags: toSelectorLabels(server, facts),
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
  const { given: _, ...given } = snapshot;
  const frozen = snapshot.jumpServers ? { ...given, jumpServers: omitTimeouts(snapshot.jumpServers) } : given;
  const { strategy, ...plan } = snapshot.plan;
  // Omits the default strategy, so that digests from before strategies existed stay valid.
  const content = strategy === 'barrier' ? plan : snapshot.plan;
  // Writes the members of the object in sorted order. Hashes in pieces, because ten thousand hosts are many megabytes.
  const hash = createHash('sha256');
  hash.update(`{"environmentId":${toCanonicalJson(environmentId)},"hosts":[`);
  for (const [index, host] of hosts.entries())
    hash.update(`${index > 0 ? ',' : ''}${toCanonicalJson(omitEmptyFields(host))}`);
  hash.update(`],"secrets":${toCanonicalJson(secrets)},"snapshot":${toCanonicalJson({ ...frozen, plan: content })}}`);
  return hash.digest('hex');
};

/** Excludes login timeouts of jump servers from the digest, like those of hosts. */
const omitTimeouts = (jumps: NonNullable<Snapshot['jumpServers']>): object =>
  Object.fromEntries(Object.entries(jumps).map(([id, { loginTimeoutSeconds: _, ...jump }]) => [id, jump]));

const toCanonicalJson = (value: unknown): string => canonicalize(value) ?? '';

/** Omits fields without a value, so that digests from before these fields existed stay valid. */
const omitEmptyFields = ({
  more_host_keys,
  jump_server_id,
  legacy_algorithms,
  login_timeout_seconds: _,
  variables,
  secrets,
  ...host
}: FrozenHost): object => ({
  ...host,
  ...(more_host_keys ? { more_host_keys } : {}),
  ...(jump_server_id ? { jump_server_id } : {}),
  ...(legacy_algorithms ? { legacy_algorithms } : {}),
  ...(variables ? { variables } : {}),
  ...(secrets ? { secrets } : {}),
});
