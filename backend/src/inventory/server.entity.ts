import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';
import type { HostKey } from '../transport/keys/host-key.js';
import type { PinnedKey } from '../transport/keys/pinned-key.js';
import type { HostFacts } from './facts/host-facts.js';

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

/** What is known of the way to a server, by the latest check, run or acceptance of its host key. */
export interface ServerCheck {
  at: string;
  state: (typeof CHECK_STATES)[number];
  message: string;
  /** Absent in what earlier versions stored: a check. */
  source?: (typeof CHECK_SOURCES)[number];
  /** The run that found it. */
  executionId?: string;
}

/** By what host keys came to be pinned, or ceased to be. */
export const PINNED_HOW = ['registered', 'accepted', 'set', 'imported', 'enrolled', 'readdressed'] as const;
export type PinnedHow = (typeof PINNED_HOW)[number];

/** A registered host; belongs to exactly one environment. */
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
  /** The outside system that keeps it, and its name there; both or neither. */
  @Column('text', { name: 'external_source', nullable: true }) externalSource: string | null;
  @Column('text', { name: 'external_id', nullable: true }) externalId: string | null;
  /** Its source did not name it any more; when it does again, it is switched on again. */
  @Column('boolean', { name: 'disabled_by_import', default: false }) disabledByImport: boolean;
  /** The pinned host key, the preferred one if there are several; null until a person accepted one. */
  @Column('jsonb', { name: 'host_key', nullable: true }) hostKey: HostKey | null;
  /** Further pinned keys of the host, and certificate authorities. `storedPins` splits them, `pinsOf` joins them. */
  @Column('jsonb', { name: 'more_host_keys', default: [] }) moreHostKeys: PinnedKey[];
  /** Who changed the pinned keys last, and by what; noted in `server_host_keys` with each key. */
  @Column('text', { name: 'pinned_by', nullable: true }) pinnedBy: string | null;
  @Column('text', { name: 'pinned_how', nullable: true }) pinnedHow: PinnedHow | null;
  /** What it is reached through; null: directly. */
  @Column('uuid', { name: 'jump_server_id', nullable: true }) jumpServerId: string | null;
  /** Whether algorithms of old SSH servers may be used with it. */
  @Column('boolean', { name: 'legacy_algorithms', default: false }) legacyAlgorithms: boolean;
  /** Null: the default of runs, checks and rotations. */
  @Column('integer', { name: 'login_timeout_seconds', nullable: true }) loginTimeoutSeconds: number | null;
  /** The key that the host showed at the last check. */
  @Column('jsonb', { name: 'seen_host_key', nullable: true }) seenHostKey: HostKey | null;
  @Column('jsonb', { name: 'last_check', nullable: true }) lastCheck: ServerCheck | null;
  /** That of `lastCheck`, for lists. */
  @Column('text', { default: 'unchecked' }) state: ServerState;
  /** Of the first of the observations in a row that found this state; null: unchecked. */
  @Column('timestamptz', { name: 'state_since', nullable: true }) stateSince: Date | null;
  /** Of the latest observation. */
  @Column('timestamptz', { name: 'checked_at', nullable: true }) checkedAt: Date | null;
  /** How long the TCP connection took when somebody last signed in at this address. */
  @Column('integer', { name: 'latency_ms', nullable: true }) latencyMs: number | null;
  /** Canonical; of the latest connection on which the host proved to own the pinned key. */
  @Column('text', { name: 'last_reached_address', nullable: true }) lastReachedAddress: string | null;
  /** What the host told about itself at `factsAt`; both or neither. Read only where it is asked for: lists are long. */
  @Column('jsonb', { nullable: true, select: false }) facts?: HostFacts | null;
  @Column('timestamptz', { name: 'facts_at', nullable: true }) factsAt: Date | null;
  /** It was registered before it was refused to register a machine twice. */
  @Column('boolean', { name: 'known_double', default: false }) knownDouble: boolean;
  @Column({ type: 'timestamptz', name: 'created_at', insert: false, update: false }) createdAt: Date;
  @Column({ type: 'timestamptz', name: 'updated_at', insert: false, update: false }) updatedAt: Date;
  @VersionColumn() version: number;
}
