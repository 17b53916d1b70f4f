/** The contract of a command on a host. It is started with `SshConnection.exec`. */

export type OutputStream = 'stdout' | 'stderr';

/** Takes a piece of output. What it may do is said at `CommandRequest.onOutput`. */
export type OutputTaker = (stream: OutputStream, bytes: Buffer) => void | Promise<void>;

/** What a host writes down about a command, so that it can be found again when connection or worker are lost. */
/** Who speaks for a run: hosts refuse a lower incarnation, and another installation. */
export interface Speaker {
  /** Identity of the installation. UUID. */
  installation: string;
  incarnation: number;
}

export interface JournalEntry {
  speaker: Speaker;
  /** Run whose commands share a folder on the host. UUID. */
  folderId: string;
  /** Names one start: the same id is never started twice on a host. UUID. */
  dispatchId: string;
  /** Take-over count of the run; a host that has seen a higher one refuses. */
  generation: number;
  /** Most bytes of each stream that the host keeps for a later attach. */
  spoolBytes: number;
  /** Dispatch ids of this run whose results are stored: nothing stays of what they wrote. Told after the command. */
  forget?: readonly string[];
  /** Dispatch ids that were forgotten before: the names of what they left go too. That costs the host a process. */
  remove?: readonly string[];
  /** A host that can keep no journal refuses the command (`cannot_journal`) instead of running it plainly. */
  orRefuse?: boolean;
}

export interface CommandRequest {
  /** POSIX shell text, without NUL characters. It goes over standard input only. */
  script: string;
  /** UUID that the script exports as `RUNWARD_DISPATCH_ID`: by it processes are found that the command leaves behind. */
  dispatchId?: string;
  /** User that the command becomes by sudo: its processes are found and signalled as that user too. */
  become?: string | null;
  /** Called once, when the host acknowledged the start and before any output of the command. */
  onStarted?(): void;
  /**
   * Takes a piece of output; what the host's login scripts print comes too, before `onStarted`. Pieces end anywhere,
   * also within a character. While a promise that it returned is pending the host is held back, and it is not called
   * again. If it throws or rejects, the channel is closed and `result` rejects with that error.
   */
  onOutput(stream: OutputStream, bytes: Buffer): void | Promise<void>;
  /**
   * Asked once, when the host is ready for the command and before anything of it is sent; false: it is not sent. If it
   * rejects, `result` rejects with that error.
   */
  beforeSend?(): Promise<boolean>;
  /** How long the host may take from the request to the launcher's answer, and from there to the acknowledgement, in ms. */
  execTimeoutMs?: number;
  /** Gives up waiting for the start. A command that has started is ended with `terminate`. */
  signal?: AbortSignal;
  /**
   * Lets the command outlive the connection, in a session of its own. A signal that ends it shows as exit code
   * 128 + n, live and attached alike. A host that can't keep a journal runs it plainly (`RunningCommand.journaled`), unless told `orRefuse`.
   */
  journal?: JournalEntry;
}

/**
 * - `older_epoch`: another worker has taken the run over
 * - `older_incarnation`, `other_installation`: the run belongs to another copy of the installation
 * - `already_started`: this dispatch id was started before; attach to it
 * - `voided`: it was decided that this dispatch id never starts
 * - `run_ended`: everything of the run was forgotten
 * - `no_journal`: the journal could not be written, though the host seems able to keep one (disk full, say)
 * - `cannot_journal`: the host can keep none for this user, and was asked not to run the command without
 * - `no_launcher`: another program than Runward's launcher took the session, so nothing was sent
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

/** A process that a command left behind. */
export interface ProcessLeft {
  pid: number;
  name: string;
}

/** What was observed of a command. Success is `exited` with 0 and nothing else. */
export type CommandResult =
  /**
   * `outputStillOpen`: a background process kept the output open; what it wrote later was not waited for. `leftBehind`:
   * which processes do, as far as the host tells.
   * `outputCut`: output is missing at its end. The connection was lost after the exit status had come, or, after an
   * attach, as much came as the host keeps of a stream.
   * `notStopped`: processes that could not be ended, as far as the host tells.
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
  /** Resolves when the command has ended and all output was taken. Rejects only with what `onOutput` threw. */
  readonly result: Promise<CommandResult>;
  /**
   * Ends the command and the processes that it began, politely first, hard after `graceMs`: those of its session, those
   * that have its `dispatchId` in their environment, and the children of both. Before the acknowledgement it closes the
   * channel. Resolves when the command has ended, or when everything was tried; `result` tells which.
   */
  terminate(graceMs: number): Promise<void>;
}

/** Asks a host what became of a command that was started with a journal. */
export interface AttachRequest {
  journal: JournalEntry;
  /** As in `CommandRequest`; it gets all output from the first byte, and nothing else. */
  onOutput: OutputTaker;
  /** Called once, if the command was found, before any output. */
  onStarted?(): void;
  /** As in `CommandRequest`. */
  become?: string | null;
  signal?: AbortSignal;
  /** How long the host may take to answer. */
  execTimeoutMs?: number;
  /** What to do when the host knows nothing of the dispatch: leave it, or make sure that it can never start any more. */
  ifAbsent: 'leave' | 'void';
}

export type Attached =
  /** It runs or has ended. `result` is `lost` if it ends without an exit status: attach again to learn why. */
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
