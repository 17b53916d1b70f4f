import { ApiProperty } from '@nestjs/swagger';
import type { HostKey } from '../transport/keys/host-key.js';
import { type PinnedKey, getPinnedKeys } from '../transport/keys/pinned-key.js';
import {
  CHECK_SOURCES,
  CHECK_STATES,
  SERVER_STATES,
  type Server,
  type ServerCheck,
  type ServerState,
} from './fields/server.entity.js';
import { pickServerFields, type ServerFields } from './fields/server-fields.js';
import { TAG_MAP_SCHEMA } from './fields/tags.js';
import { PROTECTION_STATES, type ProtectionState } from './machines/protection-state.js';
import { Reason } from '../common/http/reason.view.js';

export class HostKeyView {
  /**
   * Algorithm of the key, as in `known_hosts`: `ssh-ed25519`. `unknown` = pinned by fingerprint, not yet proved.
   * @example "ssh-ed25519"
   */
  type: string;
  /** Base64 of the public key blob; empty = pinned by fingerprint, not yet proved. */
  publicKey: string;
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  fingerprint: string;
}

export class PinnedHostKeyView extends HostKeyView {
  /** Whether an admin marked the key as shared by several machines. A shared key does not distinguish machines. */
  shared: boolean;
  /**
   * Whether the key is a certificate authority that signs host certificates (`@cert-authority`), not a key of the host.
   */
  certAuthority: boolean;
}

/** Result of the latest observation of a server, with advice. */
export class ServerCheckView {
  /** End of the check, in UTC. */
  at: string;
  /** Finding of the check. Only `reachable` servers can be used by runs without further action. */
  @ApiProperty({ enum: CHECK_STATES })
  state: (typeof CHECK_STATES)[number];
  /** Finding and advice. Its code is the state. */
  reason: Reason;
  /**
   * Source of the result: a requested check, a run that connected or failed to connect, the acceptance of the host key,
   * or a check by a worker (`schedule`), periodically or because many checks were requested.
   */
  @ApiProperty({ enum: CHECK_SOURCES })
  source: (typeof CHECK_SOURCES)[number];
  /** Run that reported it; null: not a run. */
  executionId: string | null;
}

export class ServerView implements ServerFields {
  id: string;
  /** @example "web-1" */
  name: string;
  /** @example "web-1.example.com" */
  hostname: string;
  /** @example 22 */
  port: number;
  /** @example "deploy" */
  username: string;
  sshKeyId: string;
  environmentId: string;
  @ApiProperty(TAG_MAP_SCHEMA)
  tags: Record<string, string>;
  enabled: boolean;
  /**
   * External system that owns this server; null: none.
   * @example "netbox"
   */
  externalSource: string | null;
  /**
   * Id of this server in the external system; null: none.
   * @example "device-4711"
   */
  externalId: string | null;
  /** Pinned host key, the first of several; null until one is accepted. */
  @ApiProperty({ type: PinnedHostKeyView, nullable: true })
  hostKey: PinnedHostKeyView | null;
  /** All keys and certificate authorities that Runward accepts for the host. */
  hostKeys: PinnedHostKeyView[];
  /** Jump server; null: direct connection. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  jumpServerId: string | null;
  /** Whether Runward also offers algorithms of old SSH servers, see `docs/legacy-algorithms.md`. */
  legacyAlgorithms: boolean;
  /** Time limit of a login, in seconds; null: 20 in runs, 10 in checks, 15 in key rotations. */
  @ApiProperty({ type: 'integer', nullable: true })
  loginTimeoutSeconds: number | null;
  /** Key that the host presented at the last check or run. */
  @ApiProperty({ type: HostKeyView, nullable: true })
  seenHostKey: HostKeyView | null;
  /** Result of the last check, run or host key acceptance; null = unchecked. */
  @ApiProperty({ type: ServerCheckView, nullable: true })
  lastCheck: ServerCheckView | null;
  /** State of `lastCheck`; `unchecked` before the first observation, `host_key_unknown` while no host key is pinned. */
  @ApiProperty({ enum: SERVER_STATES })
  state: ServerState;
  /** Time of the first of consecutive checks and runs with this state; null: unchecked. */
  stateSince: string | null;
  /** Time of the latest check, run or host key acceptance; null: unchecked. */
  checkedAt: string | null;
  /**
   * Duration of the TCP connect at the last login at this address, in ms; null: no login yet, or none since this is
   * measured.
   */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 0 })
  latencyMs: number | null;
  /** Address of the latest connection on which the host proved to own the pinned key; null: none yet. */
  lastReachedAddress: string | null;
  /**
   * Whether the server protects its host from runs of other environments. `environment_open`: its environment is not
   * protected. `not_proved`: no login has proved the host yet, and no approver has confirmed an address or host key.
   */
  @ApiProperty({ enum: PROTECTION_STATES })
  protection: ProtectionState;
  createdAt: string;
  updatedAt: string;
  version: number;
}

/** Server without fields from other tables; for the audit trail. */
export type AuditedServer = Omit<ServerView, 'protection'>;

export class ServerListView {
  items: ServerView[];
  nextCursor: string | null;
  /** Number of servers that match the filters on all pages; only if the request sets `count`. */
  @ApiProperty({ type: 'integer', minimum: 0, required: false })
  total?: number;
}

/** @param sharedKeys fingerprints of host keys that are marked as shared */
export const toAuditedServer = (server: Server, sharedKeys: ReadonlySet<string>): AuditedServer => {
  const pinned = (key: PinnedKey): PinnedHostKeyView => ({
    ...toHostKeyView(key),
    shared: sharedKeys.has(key.fingerprint),
    certAuthority: key.authority ?? false,
  });
  return {
    id: server.id,
    ...pickServerFields(server),
    hostKey: server.hostKey && pinned(server.hostKey),
    hostKeys: getPinnedKeys(server).map(pinned),
    seenHostKey: server.seenHostKey && toHostKeyView(server.seenHostKey),
    lastCheck: server.lastCheck && toServerCheckView(server.lastCheck),
    state: server.state,
    stateSince: server.stateSince?.toISOString() ?? null,
    checkedAt: server.checkedAt?.toISOString() ?? null,
    latencyMs: server.latencyMs,
    lastReachedAddress: server.lastReachedAddress,
    createdAt: server.createdAt.toISOString(),
    updatedAt: server.updatedAt.toISOString(),
    version: server.version,
  };
};

const toHostKeyView = ({ type, publicKey, fingerprint }: HostKey): HostKeyView => ({ type, publicKey, fingerprint });

const toServerCheckView = ({ at, state, message, source, executionId }: ServerCheck): ServerCheckView => ({
  at,
  state,
  reason: { code: state, text: message },
  source: source ?? 'check',
  executionId: executionId ?? null,
});
