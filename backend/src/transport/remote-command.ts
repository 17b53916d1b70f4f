/** The contract of a command on a host. It is started with `SshConnection.exec`. */

export type OutputStream = 'stdout' | 'stderr';

/** Accepts a piece of output; see `CommandRequest.onOutput` for its contract. */
export type OutputTaker = (stream: OutputStream, bytes: Buffer) => void | Promise<void>;

/** Record of a command on the host, so that it can be found again when connection or worker are lost. */
/** Identity of a run's driver: hosts refuse a lower incarnation, and another installation. */
export interface RunIdentity {
  /** Identity of the installation. UUID. */
  installation: string;
  incarnation: number;
}

export interface JournalEntry {
  speaker: RunIdentity;
  /** Run whose commands share a folder on the host. UUID. */
  folderId: string;
  /** Identifies one start: a host never starts the same id twice. UUID. */
  dispatchId: string;
  /** Take-over count of the run; a host that has seen a higher one refuses. */
  generation: number;
  /** Maximum bytes of each stream that the host keeps for a later attach. */
  spoolBytes: number;
  /** Dispatch ids of this run whose results are stored: the host deletes their output. Sent after the command. */
  forget?: readonly string[];
  /** Dispatch ids that were forgotten before: the host also removes their names. That costs the host a process. */
  remove?: readonly string[];
  /**
   * If true, a host that can keep no journal refuses the command (`cannot_journal`) instead of running it without one.
   */
  orRefuse?: boolean;
}

export interface CommandRequest {
  /** POSIX shell text without NUL characters. It is sent over standard input only. */
  script: string;
  /** UUID that the script exports as `RUNWARD_DISPATCH_ID`. It identifies processes that the command leaves behind. */
  dispatchId?: string;
  /** User that the command becomes by sudo: its processes are found and signalled as that user too. */
  become?: string | null;
  /** Called once, when the host acknowledged the start and before any output of the command. */
  onStarted?(): void;
  /**
   * Receives a piece of output. Output of the host's login scripts comes too, before `onStarted`. Pieces end anywhere,
   * also within a character. While a returned promise is pending, the host gets backpressure and there is no further
   * call. If it throws or rejects, the channel is closed and `result` rejects with that error.
   */
  onOutput(stream: OutputStream, bytes: Buffer): void | Promise<void>;
  /**
   * Called once, when the host is ready for the command and before anything of it is sent; false: it is not sent. If it
   * rejects, `result` rejects with that error.
   */
  beforeSend?(): Promise<boolean>;
  /** Time limit from the request to the launcher's answer, and from there to the acknowledgement, in ms. */
  execTimeoutMs?: number;
  /** Stops waiting for the start. A command that has started is ended with `terminate`. */
  signal?: AbortSignal;
  /**
   * Makes the command outlive the connection, in a session of its own. A signal that ends it appears as exit code 128 +
   * n, live and attached alike. A host that can't keep a journal runs it without one (`RunningCommand.journaled`),
   * unless `orRefuse` is set.
   */
  journal?: JournalEntry;
}

/**
 * - `older_epoch`: another worker has taken the run over
 * - `older_incarnation`, `other_installation`: the run belongs to another copy of the installation
 * - `already_started`: this dispatch id was started before; attach to it
 * - `voided`: it was decided that this dispatch id never starts
 * - `run_ended`: the host has deleted everything of the run
 * - `no_journal`: the journal could not be written, although the host seems able to keep one (for example, disk full)
 * - `cannot_journal`: the host can keep none for this user, and `orRefuse` is set
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

export interface ProcessLeft {
  pid: number;
  name: string;
}

/** What was observed of a command. Only `exited` with 0 is success. */
export type CommandResult =
  /**
   * `outputStillOpen`: a background process kept the output open, and its later output was not awaited. `leftBehind`:
   * processes that do so, as far as the host reports. `outputCut`: output is missing at its end. Either the connection
   * was lost after the exit status had arrived, or, after an attach, the stream reached the size that the host keeps.
   * `notStopped`: processes that could not be ended, as far as the host reports.
   */
  | {
      kind: 'exited';
      exitCode: number;
      outputStillOpen?: true;
      leftBehind?: ProcessLeft[];
      outputCut?: true;
      notStopped?: ProcessLeft[];
    }
  | { kind: 'signalled'; signal: string; notStopped?: ProcessLeft[] }
  /**
   * No exit status arrived. `started` tells whether the start was acknowledged; if not, the command may still have
   * run. `journaled`: an attach may find out what became of it. `code`: the host is not to be asked again.
   */
  | { kind: 'lost'; started: boolean; journaled: boolean; code?: 'hostile_peer'; message: string }
  /**
   * The command did not start, by what the host told. `unsent`: nothing of it was sent, so that this is certain
   * whatever the host does with what it tells. `maybeSlow`: with more time the host might have started it.
   */
  | { kind: 'refused'; code?: RefusalCode; unsent?: true; maybeSlow?: true; message: string };

export interface RunningCommand {
  /** Process group of the command; null before the acknowledgement. */
  readonly pid: number | null;
  /** Whether the host keeps a journal of it; false before the acknowledgement. */
  readonly journaled: boolean;
  /** The command has ended and its exit status is known; its output may still be open. */
  readonly exited: boolean;
  /** True once the start is acknowledged, false if the command ended without it. */
  readonly started: Promise<boolean>;
  /** Resolves when the command has ended and all output was accepted. Rejects only with an error of `onOutput`. */
  readonly result: Promise<CommandResult>;
  /**
   * Ends the command and the processes that it began, gracefully first, by force after `graceMs`: those of its session,
   * those that have its `dispatchId` in their environment, and the children of both. Before the acknowledgement it
   * closes the channel. Resolves when the command has ended, or when everything was tried; `result` shows which.
   */
  terminate(graceMs: number): Promise<void>;
}

export interface AttachRequest {
  journal: JournalEntry;
  /** As in `CommandRequest`, but receives all output from the first byte, and nothing else. */
  onOutput: OutputTaker;
  /** Called once, if the command was found, before any output. */
  onStarted?(): void;
  /** As in `CommandRequest`. */
  become?: string | null;
  signal?: AbortSignal;
  /** Time limit for the host's answer, in ms. */
  execTimeoutMs?: number;
  /** Action when the host does not know the dispatch: leave it, or void it so that it can never start. */
  ifAbsent: 'leave' | 'void';
}

export type Attached =
  /** It runs or has ended. `result` is `lost` if it ends without an exit status: attach again for the reason. */
  | { kind: 'attached'; command: RunningCommand }
  /**
   * Certain of a host that was up since before the dispatch was sent: it was not started; with `void` it never will be.
   * Its id may be used up either way: start again under a new one. `hostUpMs`: for how long the host (the container, if
   * it is one) has been up, in ms, to the second; absent where it doesn't tell. What ran on it before it came up, it may
   * know nothing of.
   */
  | { kind: 'never_started'; hostUpMs?: number }
  /** The host was restarted since the start; the command is gone without an exit status. */
  | { kind: 'rebooted' }
  /** The command is gone without an exit status: it or its supervisor was killed. */
  | { kind: 'vanished'; message: string }
  /** The host can't tell: it keeps no journal, or this part of it was forgotten. */
  | { kind: 'no_journal'; message: string }
  /** It could not be asked, or refused to answer; `older_epoch`: another worker has taken the run over. */
  | { kind: 'failed'; code?: 'older_epoch'; message: string };
