import { trustedBy } from '../../../transport/keys/pinned-key.js';
import { openConnection, type SshConnection } from '../../../transport/connection/ssh-connection.js';
import { loginTimeout } from '../../../transport/connection/login-timeout.js';
import type { OpenedKey } from '../../../keys/key-vault.js';
import { SshError } from '../../../transport/ssh-errors.js';
import { OwnershipLost } from '../../store/fence.js';
import type { RunReach } from './run-reach.js';
import { RunJumps } from './run-jumps.js';
import {
  givenUp,
  type HostOutcome,
  keyMissing,
  outcomeOfConnection,
  unknownHostKey,
} from '../progress/host-outcome.js';
import type { JournalEntry } from '../../../transport/remote-command.js';
import { journalFolder } from './journal-entries.js';
import { RetiredHosts } from './retired-hosts.js';
import { retryWhileDatabaseAway } from '../lease/retry-while-database-away.js';
import type { RunHost, RunContext } from './run-context.js';

/** How long the hosts get to clear away what they kept of a run, in ms. */
const FORGET_MS = 5_000;
/** The names that dispatches left on a host go when there are so many: that takes the host a process. */
const REMOVED_AT_ONCE = 16;

interface Forgettable {
  untold: string[];
  /** The host has emptied what it kept of them; their names stand there. */
  told: string[];
}

/** Connections of one run, kept warm from step to step: one per host. */
export class RunConnections {
  private readonly open = new Map<string, SshConnection>();
  /** Commands whose results are stored, by server: what the host kept of them may go. */
  private readonly forgettable = new Map<string, Forgettable>();

  /** Something of the run may stand in the journals of the hosts. */
  private journals = false;
  /** Connections to hosts that have told that they can keep no journal. */
  private readonly lacking = new WeakSet<SshConnection>();
  private readonly jumps: RunJumps;
  private readonly privateKeys: Map<string, OpenedKey>;
  private readonly retired = new RetiredHosts();

  constructor(
    runContext: Pick<RunContext, 'privateKeys' | 'jumps'>,
    private readonly reach: RunReach,
  ) {
    this.privateKeys = new Map(runContext.privateKeys);
    this.jumps = new RunJumps({ jumps: runContext.jumps, privateKeys: this.privateKeys }, reach.refused);
  }

  /** More hosts of the run are to be connected to: tells the keys that they are signed in with. */
  know({ privateKeys }: Pick<RunContext, 'privateKeys'>): void {
    for (const [id, key] of privateKeys) this.privateKeys.set(id, key);
  }

  /** Whether a connection stands from before; it may have broken without a word. */
  isWarm(serverId: string): boolean {
    return this.open.get(serverId)?.isOpen ?? false;
  }

  /** An open connection to the host, or why there is none. */
  async get(host: RunHost, signal: AbortSignal): Promise<SshConnection | HostOutcome> {
    const warm = this.open.get(host.serverId);
    if (warm?.isOpen) return warm;
    if (host.pins.length === 0) return unknownHostKey(host.name);
    const key = this.privateKeys.get(host.sshKeyId);
    if (key === undefined) return keyMissing();
    try {
      // Nothing is said to a host before the database was asked about it: while that is away, the host is tried anew.
      const connection = await retryWhileDatabaseAway({ lost: signal }, () => this.connect(host, key, signal));
      this.open.set(host.serverId, connection);
      this.reach.connected(host, connection);
      return connection;
    } catch (error) {
      if (error instanceof OwnershipLost) return givenUp(host.name);
      if (!(error instanceof SshError)) throw error;
      const told = await this.told(host, error);
      this.reach.failed(host, told);
      return outcomeOfConnection(told);
    }
  }

  /** Stores what was found out about the servers since. */
  storeFindings(): Promise<void> {
    return this.reach.store();
  }

  private async connect(host: RunHost, key: OpenedKey, signal: AbortSignal): Promise<SshConnection> {
    const { hostname, port, username, pins, jumpServerId, legacyAlgorithms, loginTimeoutSeconds } = host;
    const via = jumpServerId === null ? undefined : await this.jumps.open(jumpServerId, signal);
    const connection = await openConnection(
      {
        host: hostname,
        port,
        username,
        ...key,
        ...trustedBy(pins),
        legacyAlgorithms,
        ...loginTimeout(loginTimeoutSeconds),
      },
      {
        ...{ signal, via, refused: this.reach.refused },
        admit: (reached) => this.reach.admit(host, reached),
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

  private async told(host: RunHost, error: SshError): Promise<SshError> {
    if (error.code !== 'host_key_changed') return error;
    // The message is as good without it.
    const who = await this.reach.whoPinned(host).catch(() => '');
    return new SshError(error.code, `${error.message}${who}`, { cause: error, seen: error.seen });
  }

  /** Ends the connection to one host: nothing more is expected from it. */
  drop(serverId: string): void {
    this.open.get(serverId)?.end();
    this.open.delete(serverId);
  }

  /** The result of this command is stored. */
  forgetLater(serverId: string, dispatchId: string): void {
    this.ofHost(serverId).untold.push(dispatchId);
  }

  /** Commands that the host may forget with the next one; each is told once, and once more to remove its names. */
  takeForgettable(serverId: string): Required<Pick<JournalEntry, 'forget' | 'remove'>> {
    const { untold, told } = this.ofHost(serverId);
    const forget = untold.splice(0);
    const remove = told.length < REMOVED_AT_ONCE ? [] : told.splice(0);
    told.push(...forget);
    return { forget, remove };
  }

  /** Commands whose results are stored and whose names stand on the host. */
  private leftOn(serverId: string): string[] {
    const { untold, told } = this.ofHost(serverId);
    return [...told, ...untold];
  }

  private ofHost(serverId: string): Forgettable {
    const known = this.forgettable.get(serverId) ?? { untold: [], told: [] };
    this.forgettable.set(serverId, known);
    return known;
  }

  /** Commands of the run have a journal on the hosts: they have to clear away when it is over. */
  keepJournals(): void {
    this.journals = true;
  }

  /** The host let the run in and runs no command. */
  noteRefusal(host: RunHost, why: string): void {
    this.reach.ranNothing(host, why);
  }

  /** The host can keep no journal, and has told so. */
  noteLack(connection: SshConnection): void {
    this.lacking.add(connection);
  }

  lacksJournal(connection: SshConnection): boolean {
    return this.lacking.has(connection);
  }

  /**
   * No step of the run is left for the host: its connection ends, after the host has cleared away what it kept of
   * commands whose results are stored. Should a person have it do a step again, it is connected to anew.
   */
  retire(executionId: string, serverId: string): void {
    const connection = this.open.get(serverId);
    this.open.delete(serverId);
    if (!connection) return;
    const dispatchIds = this.lacking.has(connection) ? [] : this.leftOn(serverId);
    this.forgettable.delete(serverId);
    if (dispatchIds.length === 0) return connection.end();
    this.retired.add({ serverId, connection, folderId: journalFolder(executionId, serverId), dispatchIds });
  }

  /**
   * The run is over: has the hosts clear away what they kept of it. Best effort, in bounded time.
   * @param keep hosts that may still be asked what became of a command
   */
  async forgetRun(executionId: string, keep: ReadonlySet<string>): Promise<void> {
    if (!this.journals) return;
    const asked = [...this.open]
      .filter(([, connection]) => !this.lacking.has(connection))
      .map(([serverId, connection]) => {
        const left = keep.has(serverId) ? { dispatchIds: this.leftOn(serverId) } : { whole: true };
        return connection.forget(journalFolder(executionId, serverId), left);
      });
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([
      Promise.allSettled([...asked, this.retired.clearAll(keep)]),
      new Promise((resolve) => (timer = setTimeout(resolve, FORGET_MS))),
    ]);
    clearTimeout(timer);
  }

  closeAll(): void {
    void this.reach.store();
    for (const connection of this.open.values()) connection.end();
    this.open.clear();
    this.retired.end();
    this.jumps.end();
  }
}
