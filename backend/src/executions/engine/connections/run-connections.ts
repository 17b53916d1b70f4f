import { openConnection, type SshConnection } from '../../../transport/connection/ssh-connection.js';
import { toSshLogin } from '../../../inventory/fields/server-connection.js';
import type { OpenedKey } from '../../../keys/key-vault.js';
import { SshError } from '../../../transport/ssh-errors.js';
import { OwnershipLostError } from '../../store/fence.js';
import type { HostReachability } from './run-reach.js';
import { RunJumps } from './run-jumps.js';
import {
  givenUpOutcome,
  type HostOutcome,
  keyMissingOutcome,
  sshErrorToOutcome,
  unknownHostKeyOutcome,
} from '../progress/host-outcome.js';
import type { JournalEntry } from '../../../transport/remote-command.js';
import { toJournalFolderId } from './journal-entries.js';
import { RetiredHosts } from './retired-hosts.js';
import { retryWhileDatabaseAway } from '../lease/lease.js';
import type { RunHost, RunContext } from './run-context.js';

const FORGET_DELAY_MS = 5_000;
/** Number of emptied dispatches at which the host removes their names. Each removal starts a process on the host. */
const ENTRIES_PER_REMOVAL = 16;

interface ForgettableEntries {
  pending: string[];
  /** Dispatches that the host has emptied but whose names it still has. */
  emptied: string[];
}

export class RunConnections {
  private readonly open = new Map<string, SshConnection>();
  /** Dispatches with stored results, by server id: the host may delete its journal of them. */
  private readonly forgettable = new Map<string, ForgettableEntries>();

  private journals = false;
  private readonly connectionsWithoutJournal = new WeakSet<SshConnection>();
  private readonly jumps: RunJumps;
  private readonly privateKeys: Map<string, OpenedKey>;
  private readonly retired = new RetiredHosts();

  constructor(
    runContext: Pick<RunContext, 'privateKeys' | 'jumps'>,
    private readonly reach: HostReachability,
  ) {
    this.privateKeys = new Map(runContext.privateKeys);
    this.jumps = new RunJumps({ jumps: runContext.jumps, privateKeys: this.privateKeys }, reach.refused);
  }

  setPrivateKeys({ privateKeys }: Pick<RunContext, 'privateKeys'>): void {
    for (const [id, key] of privateKeys) this.privateKeys.set(id, key);
  }

  hasConnection(serverId: string): boolean {
    return this.open.get(serverId)?.isOpen ?? false;
  }

  async getConnection(host: RunHost, signal: AbortSignal): Promise<SshConnection | HostOutcome> {
    const existingConnection = this.open.get(host.serverId);
    if (existingConnection?.isOpen) return existingConnection;
    if (host.pins.length === 0) return unknownHostKeyOutcome(host.name);
    const key = this.privateKeys.get(host.sshKeyId);
    if (key === undefined) return keyMissingOutcome();
    try {
      // Nothing is sent to a host before the database admits it, so connecting is retried while the database is
      // unavailable.
      const connection = await retryWhileDatabaseAway({ lost: signal }, () => this.connect(host, key, signal));
      this.open.set(host.serverId, connection);
      this.reach.recordConnection(host, connection);
      return connection;
    } catch (error) {
      if (error instanceof OwnershipLostError) return givenUpOutcome(host.name);
      if (!(error instanceof SshError)) throw error;
      const emptied = await this.explainError(host, error);
      this.reach.recordFailure(host, emptied);
      return sshErrorToOutcome(emptied);
    }
  }

  storeReachability(): Promise<void> {
    return this.reach.storeRecorded();
  }

  private async connect(host: RunHost, key: OpenedKey, signal: AbortSignal): Promise<SshConnection> {
    const { pins, jumpServerId } = host;
    const via = jumpServerId === null ? undefined : await this.jumps.openJumpHost(jumpServerId, signal);
    const connection = await openConnection(
      { ...toSshLogin(host, pins), ...key },
      {
        ...{ signal, via, refused: this.reach.refused },
        admit: (reached) => this.reach.admitAddress(host, reached),
        admitKey: (key) => this.reach.admitKey(host, key),
      },
    );
    try {
      await this.reach.admitMachine(host, connection);
      return connection;
    } catch (error) {
      connection.end();
      throw error;
    }
  }

  private async explainError(host: RunHost, error: SshError): Promise<SshError> {
    if (error.code !== 'host_key_changed') return error;
    const who = await this.reach.describePinOrigin(host).catch(() => '');
    return new SshError(error.code, `${error.message}${who}`, { cause: error, seen: error.seen });
  }

  dropConnection(serverId: string): void {
    this.open.get(serverId)?.end();
    this.open.delete(serverId);
  }

  scheduleForgetting(serverId: string, dispatchId: string): void {
    this.getHostEntries(serverId).pending.push(dispatchId);
  }

  /**
   * Returns dispatches that the host may delete with its next command. Each is returned twice: first to empty it, later
   * to remove its name.
   */
  takeForgettableEntries(serverId: string): Required<Pick<JournalEntry, 'forget' | 'remove'>> {
    const { pending: unsentIds, emptied: explainError } = this.getHostEntries(serverId);
    const forget = unsentIds.splice(0);
    const remove = explainError.length < ENTRIES_PER_REMOVAL ? [] : explainError.splice(0);
    explainError.push(...forget);
    return { forget, remove };
  }

  private getRemainingEntries(serverId: string): string[] {
    const { pending: unsentIds, emptied: explainError } = this.getHostEntries(serverId);
    return [...explainError, ...unsentIds];
  }

  private getHostEntries(serverId: string): ForgettableEntries {
    const known = this.forgettable.get(serverId) ?? { pending: [], emptied: [] };
    this.forgettable.set(serverId, known);
    return known;
  }

  keepJournals(): void {
    this.journals = true;
  }

  recordRefusal(host: RunHost, why: string): void {
    this.reach.reportNotRun(host, why);
  }

  recordMissingJournal(connection: SshConnection): void {
    this.connectionsWithoutJournal.add(connection);
  }

  lacksJournal(connection: SshConnection): boolean {
    return this.connectionsWithoutJournal.has(connection);
  }

  /**
   * Ends the connection of a host that has no step left, after the host has cleared commands with stored results. If a
   * person reruns a step there, Runward connects again.
   */
  retireHost(executionId: string, serverId: string): void {
    const connection = this.open.get(serverId);
    this.open.delete(serverId);
    if (!connection) return;
    const dispatchIds = this.connectionsWithoutJournal.has(connection) ? [] : this.getRemainingEntries(serverId);
    this.forgettable.delete(serverId);
    if (dispatchIds.length === 0) return connection.end();
    this.retired.add({ serverId, connection, folderId: toJournalFolderId(executionId, serverId), dispatchIds });
  }

  /**
   * Makes the hosts clear their journals of a finished run. Failures are ignored; takes at most `FORGET_DELAY_MS`.
   * @param keep hosts where the result of a command may still be requested
   */
  async forgetRun(executionId: string, keep: ReadonlySet<string>): Promise<void> {
    if (!this.journals) return;
    const openConnections = [...this.open]
      .filter(([, connection]) => !this.connectionsWithoutJournal.has(connection))
      .map(([serverId, connection]) => {
        const left = keep.has(serverId) ? { dispatchIds: this.getRemainingEntries(serverId) } : { whole: true };
        return connection.forget(toJournalFolderId(executionId, serverId), left);
      });
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      Promise.allSettled([...openConnections, this.retired.clearAll(keep)]),
      new Promise((resolve) => (timer = setTimeout(resolve, FORGET_DELAY_MS))),
    ]);
    clearTimeout(timer);
  }

  closeAll(): void {
    void this.reach.storeRecorded();
    for (const connection of this.open.values()) connection.end();
    this.open.clear();
    this.retired.stop();
    this.jumps.closeAll();
  }
}
