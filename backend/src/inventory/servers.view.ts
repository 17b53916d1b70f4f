import { ApiProperty } from '@nestjs/swagger';
import type { HostKey } from '../transport/keys/host-key.js';
import { type PinnedKey, pinsOf } from '../transport/keys/pinned-key.js';
import {
  CHECK_SOURCES,
  CHECK_STATES,
  SERVER_STATES,
  type Server,
  type ServerCheck,
  type ServerState,
} from './server.entity.js';
import { TAG_MAP_SCHEMA } from './fields/tags.js';
import { PROTECTION_STATES, type ProtectionState } from './machines/protection-state.js';

export class HostKeyView {
  /** @example "ssh-ed25519" */
  type: string;
  /** Base64 of the public key blob. */
  publicKey: string;
  /** @example "SHA256:uNiVztksCsDhcc0u9e8BrCuXqN0SJ9vSxPKcGOdhfPY" */
  fingerprint: string;
}

export class PinnedHostKeyView extends HostKeyView {
  /** Whether an admin marked the key as shared by several machines: it then tells no machine from another. */
  shared: boolean;
  /** It signs host certificates (`@cert-authority`); it is no key of the host itself. */
  certAuthority: boolean;
}

/** What is known of the way to a server, and what to do about it. */
export class ServerCheckView {
  at: string;
  @ApiProperty({ enum: CHECK_STATES })
  state: (typeof CHECK_STATES)[number];
  message: string;
  /**
   * What found it: a check that somebody waited for, a run that connected or failed to, the acceptance of the host key, or
   * a worker, by the interval of the environment or because many checks were asked for (`schedule`).
   */
  @ApiProperty({ enum: CHECK_SOURCES })
  source: (typeof CHECK_SOURCES)[number];
  /** The run that found it; null: no run. */
  executionId: string | null;
}

export class ServerView {
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
   * The outside system that knows this server, and what it calls it there; null: none does.
   * @example "netbox"
   */
  externalSource: string | null;
  /** @example "device-4711" */
  externalId: string | null;
  /** The pinned host key, the first of them if there are several; null until one was accepted. */
  @ApiProperty({ type: PinnedHostKeyView, nullable: true })
  hostKey: PinnedHostKeyView | null;
  /** All that the host is let in by. */
  hostKeys: PinnedHostKeyView[];
  /** The server that this one is reached through; null: directly. */
  @ApiProperty({ type: String, format: 'uuid', nullable: true })
  jumpServerId: string | null;
  /** Whether Runward also offers algorithms of old SSH servers to it, see `docs/legacy-algorithms.md`. */
  legacyAlgorithms: boolean;
  /** Time limit of a login, in seconds; null: 20 in runs, 10 in checks, 15 in key rotations. */
  @ApiProperty({ type: 'integer', nullable: true })
  loginTimeoutSeconds: number | null;
  /** The key that the host showed at the last check or run. */
  @ApiProperty({ type: HostKeyView, nullable: true })
  seenHostKey: HostKeyView | null;
  @ApiProperty({ type: ServerCheckView, nullable: true })
  lastCheck: ServerCheckView | null;
  /**
   * What is known of the way to the server, as `lastCheck` tells it: `unchecked` before anybody was there,
   * `host_key_unknown` while no host key is pinned.
   */
  @ApiProperty({ enum: SERVER_STATES })
  state: ServerState;
  /** Since when it is in that state: the first of the checks and runs in a row that found it. Null: unchecked. */
  stateSince: string | null;
  /** When a check, a run or the acceptance of its host key told something of it last. Null: unchecked. */
  checkedAt: string | null;
  /**
   * How long it took to open the TCP connection when Runward last signed in at this address, in milliseconds. Null: it
   * never did, or before this was measured.
   */
  @ApiProperty({ type: 'integer', nullable: true, minimum: 0 })
  latencyMs: number | null;
  /** The address at which the host proved to own the pinned key last; null: it never did. */
  lastReachedAddress: string | null;
  /**
   * Whether the server protects its host from runs of other environments. `environment_open`: its environment is not
   * protected. `not_proved`: not yet, because no login proved the host and no approver confirmed an address or host key.
   */
  @ApiProperty({ enum: PROTECTION_STATES })
  protection: ProtectionState;
  createdAt: string;
  updatedAt: string;
  version: number;
}

/** A server without what is read beside its own row, for the audit trail. */
export type RecordedServer = Omit<ServerView, 'protection'>;

export class ServerListView {
  items: ServerView[];
  nextCursor: string | null;
  /** How many servers the filters leave on all pages; only where the request asks for it. */
  @ApiProperty({ type: 'integer', minimum: 0, required: false })
  total?: number;
}

/** What a server is registered as, but for its keys and variables. */
export const registeredFields = (server: Server) => ({
  name: server.name,
  hostname: server.hostname,
  port: server.port,
  username: server.username,
  sshKeyId: server.sshKeyId,
  environmentId: server.environmentId,
  tags: server.tags,
  enabled: server.enabled,
  externalSource: server.externalSource,
  externalId: server.externalId,
  jumpServerId: server.jumpServerId,
  legacyAlgorithms: server.legacyAlgorithms,
  loginTimeoutSeconds: server.loginTimeoutSeconds,
});

/** @param sharedKeys fingerprints of host keys that are marked as shared */
export const toRecordedServer = (server: Server, sharedKeys: ReadonlySet<string>): RecordedServer => {
  const pinned = (key: PinnedKey): PinnedHostKeyView => ({
    ...toHostKeyView(key),
    shared: sharedKeys.has(key.fingerprint),
    certAuthority: key.authority ?? false,
  });
  return {
    id: server.id,
    ...registeredFields(server),
    hostKey: server.hostKey && pinned(server.hostKey),
    hostKeys: pinsOf(server).map(pinned),
    seenHostKey: server.seenHostKey && toHostKeyView(server.seenHostKey),
    lastCheck: server.lastCheck && toCheckView(server.lastCheck),
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

const toCheckView = ({ at, state, message, source, executionId }: ServerCheck): ServerCheckView => ({
  at,
  state,
  message,
  source: source ?? 'check',
  executionId: executionId ?? null,
});
