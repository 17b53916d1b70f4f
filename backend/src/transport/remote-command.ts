/** Contract of a command on a host. `SshConnection.exec` starts the command. */

export type OutputStream = 'stdout' | 'stderr';

/** See `CommandRequest.onOutput` for the contract. */
export type OutputHandler = (stream: OutputStream, bytes: Buffer) => void | Promise<void>;

/** Record of a command on the host, to find the command again after the connection or the worker was lost. */
/** Identity of the worker's installation. A host refuses a lower incarnation, and another installation. */
export interface RunIdentity {
  /** UUID. */
  installation: string;
  incarnation: number;
}

export interface JournalEntry {
  speaker: RunIdentity;
  /** UUID of the run. Its commands share a folder on the host. */
  folderId: string;
  /** UUID of one start. A host never starts the same ID twice. */
  dispatchId: string;
  /** Number of takeovers of the run. A host that has seen a higher number refuses the command. */
  generation: number;
  /** Maximum output that the host keeps for a later attach, in bytes per stream. */
  spoolBytes: number;
  /**
   * IDs of dispatches in this run whose results are stored: the host deletes their output. It does so after the
   * command.
   */
  forget?: readonly string[];
  /** IDs of dispatches whose output was deleted before: the host also removes their files, which costs it a process. */
  remove?: readonly string[];
  /** If the host cannot keep a journal, it refuses the command (`cannot_journal`) instead of running it without one. */
  orRefuse?: boolean;
}

export interface CommandRequest {
  /** POSIX shell text without NUL characters. Sent only over standard input. */
  script: string;
  /** UUID that the script exports as `RUNWARD_DISPATCH_ID`. Identifies processes that the command leaves behind. */
  dispatchId?: string;
  /** User that the command becomes with sudo. Its processes are found and signalled as this user too. */
  become?: string | null;
  /** Called once, when the host has acknowledged the start and before any output of the command. */
  onStarted?(): void;
  /**
   * Receives a piece of output, split anywhere, even within a character. Before `onStarted`, pieces contain output of
   * the host's login scripts. While a returned promise is pending, the host gets backpressure and there is no further
   * call. If it throws or rejects, the channel is closed and `result` rejects with that error.
   */
  onOutput(stream: OutputStream, bytes: Buffer): void | Promise<void>;
  /**
   * Called once, when the host is ready and before anything of the command is sent. Returns false to not send the
   * command. If it rejects, `result` rejects with that error.
   */
  beforeSend?(): Promise<boolean>;
  /** Time limit in ms, first for the launcher's answer and again for the acknowledgement. */
  execTimeoutMs?: number;
  /** Aborts waiting for the start. Does not end a command that has started: use `terminate`. */
  signal?: AbortSignal;
  /**
   * Lets the command outlive the connection, in a separate session. If a signal ends it, the exit code is 128 + n, both
   * live and attached. A host that cannot keep a journal runs the command without one (`RunningCommand.journaled`),
   * unless `orRefuse` is set.
   */
  journal?: JournalEntry;
}

/**
 * Why a host refused a command:
 * - `older_epoch`: another worker has taken over the run
 * - `older_incarnation`, `other_installation`: the run belongs to another copy of the installation
 * - `already_started`: this dispatch was started before; attach to it
 * - `voided`: this dispatch must never start
 * - `run_ended`: the host has deleted everything of the run
 * - `no_journal`: the journal could not be written, although the host seems able to keep one (for example, full disk)
 * - `cannot_journal`: the host cannot keep a journal for this user, and `orRefuse` is set
 * - `no_launcher`: another program than Runward's launcher received the session, so nothing was sent
 */
export type RefusalCode =
  | 'older_epoch'
  | 'older_incarnation'
  | 'other_installation'
  | 'already_started'
  | 'voided'
  | 'run_ended'
  | 'no_journal'
  | 'cannot_journal'
  | 'no_launcher';

export interface RemainingProcess {
  pid: number;
  name: string;
}

/** Observed result of a command. Only `exited` with code 0 is success. */
export type CommandResult =
  /**
   * - `outputStillOpen`: a background process kept the output open; its later output was not awaited.
   * - `leftBehind`: processes that keep the output open, if the host reports them.
   * - `outputCut`: the end of the output is missing. Either the connection was lost after the exit status arrived, or,
   *   after an attach, the stream reached the size that the host keeps.
   * - `notStopped`: processes that could not be ended, if the host reports them.
   */
  | {
      kind: 'exited';
      exitCode: number;
      outputStillOpen?: true;
      leftBehind?: RemainingProcess[];
      outputCut?: true;
      notStopped?: RemainingProcess[];
    }
  | { kind: 'signalled'; signal: string; notStopped?: RemainingProcess[] }
  /**
   * No exit status arrived. `started`: whether the start was acknowledged; without that, the command may still have run.
   * `journaled`: an attach may find the result. `code`: do not ask the host again.
   */
  | { kind: 'lost'; started: boolean; journaled: boolean; code?: 'hostile_peer'; message: string }
  /**
   * The host reported that the command did not start. `unsent`: nothing of the command was sent, so this is certain
   * without trusting the host. `maybeSlow`: with more time, the host might have started the command.
   */
  | { kind: 'refused'; code?: RefusalCode; unsent?: true; maybeSlow?: true; message: string };

export interface RunningCommand {
  /** Process group of the command; null before the acknowledgement. */
  readonly pid: number | null;
  /** Whether the host keeps a journal of the command; false before the acknowledgement. */
  readonly journaled: boolean;
  /** The command has ended and its exit status is known; its output may still be open. */
  readonly hasExited: boolean;
  /** True once the start is acknowledged; false if the command ended without acknowledgement. */
  readonly started: Promise<boolean>;
  /** Resolves when the command has ended and all output was accepted. Rejects only with an error of `onOutput`. */
  readonly result: Promise<CommandResult>;
  /**
   * Ends the command and its processes: first gracefully, after `graceMs` by force. Its processes are those of its
   * session, those with its `dispatchId` in their environment, and the children of both. Closes the channel if the
   * start is not acknowledged yet. Resolves when the command has ended or all means have failed; `result` shows which.
   */
  terminate(graceMs: number): Promise<void>;
}

export interface AttachRequest {
  journal: JournalEntry;
  /** Like `CommandRequest.onOutput`, but receives only output of the command, all of it from the first byte. */
  onOutput: OutputHandler;
  /** Called once if the command was found, before any output. */
  onStarted?(): void;
  /** See `CommandRequest`. */
  become?: string | null;
  signal?: AbortSignal;
  /** Time limit for the host's answer, in ms. */
  execTimeoutMs?: number;
  /** What the host does with an unknown dispatch: nothing, or void it so that it can never start. */
  ifAbsent: 'leave' | 'void';
}

export type AttachResult =
  /**
   * The command runs or has ended. If it ends without an exit status, `result` is `lost`: attach again for the reason.
   */
  | { kind: 'attached'; command: RunningCommand }
  /**
   * The command was not started; with `void` it can never start. Only certain if the host was already up when the
   * dispatch was sent: after a restart it may know nothing of earlier commands. Use a new dispatch ID for another start.
   * `hostUpMs`: uptime of the host, or of its container, in ms, accurate to 1 s; undefined = unknown.
   */
  | { kind: 'never_started'; hostUpMs?: number }
  /** The host restarted after the start: the command ended without an exit status. */
  | { kind: 'rebooted' }
  /** The command ended without an exit status: the command or its supervisor was killed. */
  | { kind: 'vanished'; message: string }
  /** The host does not know: it keeps no journal, or this part of the journal was deleted. */
  | { kind: 'no_journal'; message: string }
  /** The host could not be asked, or refused to answer. `older_epoch`: another worker has taken over the run. */
  | { kind: 'failed'; code?: 'older_epoch'; message: string };
