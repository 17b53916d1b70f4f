import type { Duplex } from 'node:stream';
import { NodeSSH } from 'node-ssh';
import type { Client } from 'ssh2';
import { attachCommand } from '../command/attach-command.js';
import type { CommandHost } from '../command/channel-command.js';
import { startCommand } from '../command/start-command.js';
import { type ExecHost, runShortCommand } from '../command/exec-channel.js';
import { IdleShells } from '../command/resident-shell.js';
import type { RefusedAddresses } from '../../common/network/refused-addresses.js';
import { hostKeyFromBlob, type HostKey } from '../keys/host-key.js';
import {
  getPinnedAlgorithms,
  getLegacyAlgorithms,
  toLibraryAlgorithms,
  getOfferedAlgorithms,
} from '../keys/ssh-algorithms.js';
import { forgetScript, type ForgetOptions, forgetCommand } from '../journal/journal-forget.js';
import { isJournalId } from '../journal/journal-shell.js';
import { buildForgetInput } from '../journal/journal-start.js';
import { scheduleDeadline, waitAtMost, getListeningTimeMs } from '../listening-time.js';
import type { AttachResult, AttachRequest, CommandRequest, RunningCommand } from '../remote-command.js';
import { CertificateLogin } from '../client/certificate-login.js';
import { joinWrites } from '../client/joined-writes.js';
import { offerKeyOnce, recordLoginMethods } from '../client/login-methods.js';
import { limitPeerMessages } from '../client/peer-guard.js';
import { cacheCipherKeys } from '../ssh2/cipher-keys.js';
import { signLoginsSynchronously } from '../ssh2/login-requests.js';
import { recordGreeting } from './greeting.js';
import { recordFirstBytes, readServerProposal } from './server-proposal.js';
import { ProvedHostKeys } from './proved-host-keys.js';
import { forwardThroughClient, type JumpHost } from './jump-host.js';
import { HostilePeerError, toSshError, toHostilePeerError, type SshAttempt, SshError } from '../ssh-errors.js';
import { isPinOf, isUnprovedPin } from '../keys/pinned-key.js';
import { scanCertifiedKey } from './host-certificate.js';
import { type AdmissionCheck, openAdmittedSocket, type ConnectionStageListener } from './tcp-socket.js';
import { probeFromHost, type ProbeOptions, type ProbeResult, type ProbeTarget } from './wait-probe.js';

export interface SshTarget {
  host: string;
  port: number;
  username: string;
  /** Unencrypted, in OpenSSH's format (see key-material.ts). */
  privateKey: string;
  /** Certificate line of the key, offered before the key; null: none. */
  certificate?: string | null;
  /** Accepted host keys. A key that one of the authorities certified is also accepted. */
  hostKeys: readonly HostKey[];
  authorities?: readonly HostKey[];
  /** Also offers algorithms of old SSH servers, after the modern ones. */
  legacyAlgorithms: boolean;
  /** Time limit from the TCP connection to the accepted login, in ms; absent: the limit in the options. */
  loginTimeoutMs?: number;
}

export interface ConnectionOptions {
  /** Aborts connecting. Has no effect on an open connection. */
  signal?: AbortSignal;
  /** Called once per open TCP connection, before anything is sent over it. */
  admit?: AdmissionCheck;
  /** Called with a key that an authority certified, before the login. */
  admitKey?: (key: HostKey) => Promise<void>;
  /** Addresses that are never connected to; see `SocketOptions`. */
  refused?: RefusedAddresses;
  onStage?: ConnectionStageListener;
  via?: JumpHost;
  connectTimeoutMs?: number;
  handshakeTimeoutMs?: number;
  keepaliveIntervalMs?: number;
  keepaliveCountMax?: number;
}

export interface SshConnection {
  readonly isOpen: boolean;
  /** Address at which the host was reached, in canonical form. */
  readonly reachedAddress: string;
  readonly latencyMs: number;
  readonly hostKey: HostKey;
  /** `hostKey` and the other keys that the host has proved to own so far, at most 16 (see proved-host-keys.ts). */
  readonly provedHostKeys: readonly HostKey[];
  /**
   * Waits for the host's list of its other keys, for at most `withinMs`. Some servers never send one. Never rejects.
   */
  waitForHostKeys(withinMs: number): Promise<void>;
  readonly legacyAlgorithmsUsed: readonly string[] | null;
  /** Reason why the login did not use the certificate of the key; null: it did, or the key has none. */
  readonly certificateUnused: string | null;
  /** `hostile_peer` when Runward ended the connection, with the reason; null: Runward did not end it. */
  readonly fault: SshError | null;
  readonly closed: Promise<void>;
  /** Starts a command. Several commands may run at once. Never rejects: a refusal is a result. */
  exec(request: CommandRequest): Promise<RunningCommand>;
  /**
   * Finds a command that was started with a journal, even over another connection. Follows it from the first byte of
   * its output. Ends any other connection that still reads this output on the host. Errors of the host do not reject.
   */
  attach(request: AttachRequest): Promise<AttachResult>;
  /**
   * Removes the journal entries of a run's ended commands. Once a day, also removes entries of any run that are older
   * than seven days. Best effort with a time limit: never rejects, and does not wait for a busy host.
   */
  forget(folderId: string, options?: ForgetOptions): Promise<void>;
  /** Waits until a port or URL answers requests from the host. Never rejects. */
  probe(target: ProbeTarget, options: ProbeOptions): Promise<ProbeResult>;
  /**
   * Makes the host a jump server for other hosts while the connection is open. @param called see `label` in `JumpHost`
   */
  asJumpHost(called: string): JumpHost;
  /**
   * Ends the connection. Commands with a journal run to their end. On most hosts, other commands continue until their
   * next write.
   */
  end(): void;
}

const GOODBYE_TIMEOUT_MS = 2_000;
const FORGET_TIMEOUT_MS = 10_000;

/**
 * Connects and logs in, by public key only. Before any login data is sent, the host must prove that it owns an accepted
 * key.
 *
 * @throws SshError, and errors of `admit` and `admitKey`
 */
export async function openConnection(target: SshTarget, options: ConnectionOptions = {}): Promise<SshConnection> {
  const { authorities = [], hostKeys, loginTimeoutMs } = target;
  if (loginTimeoutMs !== undefined) options = { ...options, handshakeTimeoutMs: loginTimeoutMs };
  if (authorities.length === 0) return connectPinned(target, options);
  if (hostKeys.length > 0) {
    try {
      return await connectPinned(target, options);
    } catch (error) {
      if (!(error instanceof SshError) || !NOT_PINNED_ERROR_CODES.has(error.code)) throw error;
    }
  }
  const key = await scanCertifiedKey(target, authorities, { ...options, legacyAlgorithms: target.legacyAlgorithms });
  await options.admitKey?.(key);
  return connectClient({ ...target, hostKeys: [key] }, options);
}

/** Errors after which the host may still have another key that is accepted. */
const NOT_PINNED_ERROR_CODES: ReadonlySet<string> = new Set(['host_key_changed', 'host_key_type_missing']);

/**
 * The key type of a pinned fingerprint is unknown, and a host presents one key at a time. So Runward requests another
 * type after each key that is not pinned.
 */
async function connectPinned(target: SshTarget, options: ConnectionOptions): Promise<ClientConnection> {
  if (!target.hostKeys.some(isUnprovedPin)) return connectClient(target, options);
  const rejectedTypes: string[] = [];
  let firstError: SshError | undefined;
  for (;;) {
    try {
      return await connectClient(target, options, rejectedTypes);
    } catch (error) {
      if (!(error instanceof SshError) || !NOT_PINNED_ERROR_CODES.has(error.code)) throw error;
      firstError ??= error;
      const { seen } = error;
      if (!seen || rejectedTypes.includes(seen.type)) throw firstError;
      rejectedTypes.push(seen.type);
    }
  }
}

async function connectClient(
  target: SshTarget,
  options: ConnectionOptions = {},
  rejectedTypes: readonly string[] = [],
): Promise<ClientConnection> {
  const { signal, admit, refused, onStage, via, connectTimeoutMs = 10_000, handshakeTimeoutMs = 20_000 } = options;
  const { host, port, username, hostKeys: pinned, legacyAlgorithms } = target;
  const attempt: SshAttempt = { host, port, username, pinned, phase: 'handshake', timeoutMs: handshakeTimeoutMs };
  const offered = getOfferedAlgorithms(getPinnedAlgorithms(pinned, rejectedTypes), legacyAlgorithms);
  const [first] = pinned;
  // ssh2 would read an empty list as "any"
  if (!first || offered.hostKeys.length === 0) throw toSshError(new Error('no matching host key format'), attempt);
  const limits = { timeoutMs: connectTimeoutMs, signal, admit, refused, onStage, via };
  const { socket, latencyMs, reached } = await openAdmittedSocket(target, limits);
  joinWrites(socket);

  let acceptedKey: HostKey | undefined;
  const login = target.certificate
    ? new CertificateLogin(username, target.privateKey, target.certificate, new Date())
    : null;
  const ssh = new NodeSSH();
  const established = ssh.connect({
    sock: socket,
    username,
    privateKey: target.privateKey,
    authHandler: recordLoginMethods(attempt, login?.nextAttempt ?? offerKeyOnce(username, target.privateKey)),
    hostVerifier: (blob: Buffer) => {
      const key = hostKeyFromBlob(blob);
      if (pinned.some((pin) => isPinOf(pin, key))) acceptedKey = key;
      else attempt.rejected = key;
      return acceptedKey !== undefined;
    },
    algorithms: toLibraryAlgorithms(offered),
    readyTimeout: 0, // This class has its own deadline, in listening time.
    keepaliveInterval: options.keepaliveIntervalMs ?? 15_000,
    keepaliveCountMax: options.keepaliveCountMax ?? 3,
  });
  const client = ssh.connection as Client; // node-ssh creates the client before its first await
  // replaces the request of the certificate when ssh2 would sign it
  if (login) login.of(client);
  else signLoginsSynchronously(client);
  const proved = new ProvedHostKeys(client);
  cacheCipherKeys(client);
  const getFirstBytes = recordFirstBytes(socket);
  limitPeerMessages(client, socket);
  recordGreeting(socket, attempt, (name) => onStage?.('identified', name));
  const endpoint = { socket, address: reached.address, latencyMs };
  const connection = new ClientConnection(client, target, endpoint, first, { admit, refused, via }, login, proved);
  client.once('handshake', (agreed) => {
    if (legacyAlgorithms) connection.legacyAlgorithmsUsed = getLegacyAlgorithms(agreed);
    onStage?.('agreed', '');
  });
  const onAbort = () => socket.destroy();
  signal?.addEventListener('abort', onAbort, { once: true });
  const deadline = scheduleDeadline(handshakeTimeoutMs, () => {
    attempt.timedOut = true;
    socket.destroy();
  });
  try {
    await established;
    if (!acceptedKey) throw new Error('The login succeeded without verification of the host key.');
    connection.hostKey = acceptedKey;
    return connection;
  } catch (error) {
    socket.destroy();
    const proposal = readServerProposal(getFirstBytes());
    const known = { aborted: signal?.aborted, certificate: login?.reason ?? null };
    throw toSshError(error, { ...attempt, ...known, proposal, offered, legacyAlgorithms });
  } finally {
    deadline.cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}

class ClientConnection implements SshConnection {
  isOpen = true;
  fault: SshError | null = null;
  legacyAlgorithmsUsed: readonly string[] | null = null;
  readonly closed: Promise<void>;
  private lastError?: string;
  private readonly shells = new IdleShells();

  constructor(
    private readonly client: Client,
    private readonly target: SshTarget,
    private readonly endpoint: { socket: Duplex; address: string; latencyMs: number },
    public hostKey: HostKey,
    private readonly bounds: Pick<ConnectionOptions, 'admit' | 'refused' | 'via'>,
    private readonly login: CertificateLogin | null,
    private readonly proved: ProvedHostKeys,
  ) {
    // for the lifetime of the client: node-ssh removes its own listener, and an unhandled 'error' ends the process
    client.on('error', (error: Error) => {
      this.lastError = error.message;
      if (error instanceof HostilePeerError) this.fault ??= toHostilePeerError(target, error);
    });
    client.on('end', () => (this.isOpen = false));
    this.closed = new Promise((resolve) => {
      client.on('close', () => {
        this.isOpen = false;
        resolve();
      });
    });
  }

  get reachedAddress(): string {
    return this.endpoint.address;
  }

  get latencyMs(): number {
    return this.endpoint.latencyMs;
  }

  get provedHostKeys(): HostKey[] {
    return this.proved.getKeysWith(this.hostKey);
  }

  waitForHostKeys(withinMs: number): Promise<void> {
    return this.proved.within(withinMs);
  }

  get certificateUnused(): string | null {
    return this.login?.reason ?? null;
  }

  exec(request: CommandRequest): Promise<RunningCommand> {
    return startCommand(this.toCommandHost(), request);
  }

  attach(request: AttachRequest): Promise<AttachResult> {
    return attachCommand(this.toCommandHost(), request);
  }

  async forget(folderId: string, options: ForgetOptions = {}): Promise<void> {
    if (![folderId, ...(options.dispatchIds ?? [])].every(isJournalId)) return;
    const day = new Date().toISOString().slice(0, 10);
    const shell = this.shells.takeShellOfRun(folderId);
    if (shell) {
      shell.endWithInput(buildForgetInput('-', forgetScript(folderId, options, day)));
      if (!(await waitAtMost(FORGET_TIMEOUT_MS, shell.closed))) shell.close();
    } else {
      const text = forgetCommand(folderId, options, day);
      await runShortCommand(this.toExecHost(), text, FORGET_TIMEOUT_MS).catch(() => undefined);
    }
  }

  probe(target: ProbeTarget, options: ProbeOptions): Promise<ProbeResult> {
    const { host, port } = this.target;
    return probeFromHost({ client: this.client, host, port, isOpen: () => this.isOpen }, target, options);
  }

  private toExecHost(): ExecHost {
    const { host, port } = this.target;
    return { client: this.client, host, port, freeSession: () => this.shells.closeOneShell() };
  }

  private toCommandHost(): CommandHost {
    return {
      ...this.toExecHost(),
      shells: this.shells,
      lastError: () => this.lastError,
      runBeside: (text, timeoutMs) => this.runOnSecondChannel(text, timeoutMs),
    };
  }

  /** Uses this connection if the host allows another session on it (MaxSessions), else a new connection. */
  private async runOnSecondChannel(text: string, timeoutMs: number): Promise<string> {
    const { target, bounds } = this;
    const endsAt = getListeningTimeMs() + timeoutMs;
    try {
      return await runShortCommand(this.toExecHost(), text, timeoutMs);
    } catch {
      const left = () => Math.max(1, endsAt - getListeningTimeMs());
      const second = await connectClient(
        { ...target, hostKeys: [this.hostKey] },
        { ...bounds, connectTimeoutMs: left(), handshakeTimeoutMs: left() },
      );
      return await runShortCommand(second.toExecHost(), text, left()).finally(() => second.end());
    }
  }

  asJumpHost(called: string): JumpHost {
    return { label: called, forward: (target, limits) => forwardThroughClient(this.client, called, target, limits) };
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.shells.closeAllShells();
    this.client.end();
    // an unreachable host never confirms the close
    const timer = setTimeout(() => this.endpoint.socket.destroy(), GOODBYE_TIMEOUT_MS);
    void this.closed.then(() => clearTimeout(timer));
  }
}
