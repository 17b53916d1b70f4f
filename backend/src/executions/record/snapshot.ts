import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { labelsOf, type UsableFact } from '../../inventory/facts/host-facts.js';
import type { VariableValue } from '../../common/variables/variable-value.js';
import type { TargetServer } from '../../inventory/run-targets.reader.js';
import type { Server } from '../../inventory/server.entity.js';
import type { Snapshot } from './execution-row.js';

/** A host as a run froze it, named as in `execution_hosts`. */
export interface FrozenHost {
  server_id: string;
  ordinal: number;
  name: string;
  hostname: string;
  port: number;
  username: string;
  ssh_key_id: string;
  host_key: Server['hostKey'];
  /** Null: none. */
  more_host_keys: Server['moreHostKeys'] | null;
  /** What it is reached through, see `Snapshot.jumpServers`; null: directly. */
  jump_server_id: string | null;
  /** Null or absent: false. */
  legacy_algorithms?: boolean | null;
  /** Null or absent: the default. Not part of the digest: it changes neither what runs nor where. */
  login_timeout_seconds?: number | null;
  /** And, as `facts.<name>`, what the host had told of what the plan asks for. */
  tags: Record<string, string>;
  /** Plain values that its server gave at the start, by name; null or absent: none. They go before the run's. */
  variables?: Record<string, VariableValue> | null;
  /** Secrets that its server gave, by name; null or absent: none. */
  secrets?: Record<string, HostSecret> | null;
}

/** A secret of one host; its value stands among the run's sealed secrets. */
export interface HostSecret {
  /** Another text when anything about the server's secret changes. */
  version: string;
  /** Under which key its value stands (`hostSecretKey`); null: it was deleted before the run was approved again. */
  at: string | null;
}

/** Columns of `execution_hosts` that make a `FrozenHost`. */
export const FROZEN_HOST_COLUMNS =
  'server_id, ordinal, name, hostname, port, username, ssh_key_id, host_key, more_host_keys, jump_server_id, legacy_algorithms, login_timeout_seconds, tags, variables, secrets';

export const frozenHost = (server: TargetServer, ordinal: number, facts: readonly UsableFact[]): FrozenHost => ({
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
  tags: labelsOf(server, facts),
});

/**
 * SHA-256 over everything that decides what will run where, in JCS form (RFC 8785). The mode is not
 * part of it: a dry run and the real start of the same have the same digest.
 * @param secrets keyed hashes of the secret values by name
 */
export const digestOf = (
  snapshot: Snapshot,
  hosts: readonly FrozenHost[],
  environmentId: string,
  secrets: Record<string, string>,
): string => {
  // Who gave a value does not change what runs.
  const { given: _, ...given } = snapshot;
  const frozen = snapshot.jumpServers ? { ...given, jumpServers: withoutTimeouts(snapshot.jumpServers) } : given;
  const { strategy, ...plan } = snapshot.plan;
  // Left out where it is as ever: what was seen or approved before plans could choose it still is what runs.
  const content = strategy === 'barrier' ? plan : snapshot.plan;
  // The members of one object, in the order of their names. Written piece by piece: ten thousand hosts are many megabytes.
  const hash = createHash('sha256');
  hash.update(`{"environmentId":${canonical(environmentId)},"hosts":[`);
  for (const [index, host] of hosts.entries()) hash.update(`${index > 0 ? ',' : ''}${canonical(withoutNothing(host))}`);
  hash.update(`],"secrets":${canonical(secrets)},"snapshot":${canonical({ ...frozen, plan: content })}}`);
  return hash.digest('hex');
};

/** Time limits of jump servers are not part of the digest, as those of hosts are not. */
const withoutTimeouts = (jumps: NonNullable<Snapshot['jumpServers']>): object =>
  Object.fromEntries(Object.entries(jumps).map(([id, { loginTimeoutSeconds: _, ...jump }]) => [id, jump]));

const canonical = (value: unknown): string => canonicalize(value) ?? '';

/** A host without what servers could not have once is what it was then. */
const withoutNothing = ({
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
