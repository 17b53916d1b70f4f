import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { HostKey } from '../../transport/keys/host-key.js';
import type { PinnedKey } from '../../transport/keys/pinned-key.js';
import type { HostFacts } from '../facts/host-facts.js';

export const CHECK_STATES = [
  'reachable',
  'host_key_unknown',
  'host_key_accepted',
  'host_key_changed',
  'login_refused',
  'no_commands',
  'protected_host',
  'unreachable',
] as const;
export const SERVER_STATES = ['unchecked', ...CHECK_STATES] as const;
export type ServerState = (typeof SERVER_STATES)[number];
export const CHECK_SOURCES = ['check', 'run', 'acceptance', 'schedule', 'enrolment'] as const;

export interface ServerCheck {
  at: string;
  state: (typeof CHECK_STATES)[number];
  message: string;
  /** Undefined in entries of earlier versions, which contain only checks. */
  source?: (typeof CHECK_SOURCES)[number];
  executionId?: string;
}

export const PINNED_HOW = ['registered', 'accepted', 'set', 'imported', 'enrolled', 'readdressed'] as const;
export type PinnedHow = (typeof PINNED_HOW)[number];

@Entity('servers')
export class Server {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid', { name: 'tenant_id' }) tenantId: string;
  @Column('uuid', { name: 'environment_id' }) environmentId: string;
  @Column('text') name: string;
  @Column('text') hostname: string;
  @Column('integer') port: number;
  @Column('text') username: string;
  @Column('uuid', { name: 'ssh_key_id' }) sshKeyId: string;
  @Column('jsonb') tags: Record<string, string>;
  @Column('boolean') enabled: boolean;
  /** External system that owns the server, and the server's ID there. Both are set or both null. */
  @Column('text', { name: 'external_source', nullable: true }) externalSource: string | null;
  @Column('text', { name: 'external_id', nullable: true }) externalId: string | null;
  /** An import disabled the server because the source no longer listed it. An import that lists it again enables it. */
  @Column('boolean', { name: 'disabled_by_import', default: false }) disabledByImport: boolean;
  /** Preferred pinned host key; null until a key is accepted. */
  @Column('jsonb', { name: 'host_key', nullable: true }) hostKey: HostKey | null;
  /**
   * Further pinned keys of the host, and certificate authorities. `toStoredPins` splits pins into these two columns,
   * `getPinnedKeys` joins them.
   */
  @Column('jsonb', { name: 'more_host_keys', default: [] }) moreHostKeys: PinnedKey[];
  /**
   * Name of the caller who last changed the pinned keys. Copied with `pinnedHow` to `server_host_keys` for each key.
   */
  @Column('text', { name: 'pinned_by', nullable: true }) pinnedBy: string | null;
  @Column('uuid', { name: 'pinned_by_id', nullable: true }) pinnedById: string | null;
  @Column('text', { name: 'pinned_how', nullable: true }) pinnedHow: PinnedHow | null;
  /** Null = direct connection. */
  @Column('uuid', { name: 'jump_server_id', nullable: true }) jumpServerId: string | null;
  @Column('boolean', { name: 'legacy_algorithms', default: false }) legacyAlgorithms: boolean;
  /** Null = the default of runs, checks and rotations. */
  @Column('integer', { name: 'login_timeout_seconds', nullable: true }) loginTimeoutSeconds: number | null;
  /** Key that the host presented at the last check. */
  @Column('jsonb', { name: 'seen_host_key', nullable: true }) seenHostKey: HostKey | null;
  @Column('jsonb', { name: 'last_check', nullable: true }) lastCheck: ServerCheck | null;
  @Column('text', { default: 'unchecked' }) state: ServerState;
  /** Time of the first of consecutive observations with this state; null = unchecked. */
  @Column('timestamptz', { name: 'state_since', nullable: true }) stateSince: Date | null;
  @Column('timestamptz', { name: 'checked_at', nullable: true }) checkedAt: Date | null;
  /** Duration of the TCP connect at the last login at this address, in ms. */
  @Column('integer', { name: 'latency_ms', nullable: true }) latencyMs: number | null;
  /** Canonical address of the latest connection on which the host proved to own the pinned key. */
  @Column('text', { name: 'last_reached_address', nullable: true }) lastReachedAddress: string | null;
  /**
   * Facts that the host reported at `factsAt`; both are set or both null. Not selected by default, because lists are
   * long.
   */
  @Column('jsonb', { nullable: true, select: false }) facts?: HostFacts | null;
  @Column('timestamptz', { name: 'facts_at', nullable: true }) factsAt: Date | null;
  /** The server duplicates another one and was registered before duplicates were rejected. */
  @Column('boolean', { name: 'known_double', default: false }) knownDouble: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
