/** The contract of a command on a host. It is started with `SshConnection.exec`. */

export type OutputStream = 'stdout' | 'stderr';

export interface CommandRequest {
  /** POSIX shell text, without NUL characters. It goes over standard input only. */
  script: string;
  /** Called once, when the host acknowledged the start and before any output of the command. */
  onStarted?(): void;
  /**
   * Takes a piece of output; what the host's login scripts print comes too, before `onStarted`. Pieces end anywhere,
   * also within a character. While a promise that it returned is pending the host is held back, and it is not called
   * again. If it throws or rejects, the channel is closed and `result` rejects with that error.
   */
  onOutput(stream: OutputStream, bytes: Buffer): void | Promise<void>;
  /** How long the host may take from the request to the acknowledgement. */
  execTimeoutMs?: number;
  /** Gives up waiting for the start. A command that has started is ended with `terminate`. */
  signal?: AbortSignal;
}

/** What was observed of a command. Success is `exited` with 0 and nothing else. */
export type CommandResult =
  /** `outputStillOpen`: a background process kept the output open; what it wrote later was not waited for. */
  | { kind: 'exited'; exitCode: number; outputStillOpen?: true }
  | { kind: 'signalled'; signal: string }
  /** No exit status arrived. `started` tells whether the start was acknowledged; if not, the command may still have run. */
  | { kind: 'lost'; started: boolean; message: string }
  /** The command certainly did not start. */
  | { kind: 'refused'; message: string };

export interface RunningCommand {
  /** Process group of the command; null before the acknowledgement. */
  readonly pid: number | null;
  /** True once the start is acknowledged, false if the command ended without it. */
  readonly started: Promise<boolean>;
  /** Resolves when the command has ended and all output was taken. Rejects only with what `onOutput` threw. */
  readonly result: Promise<CommandResult>;
  /**
   * Ends the command's process group, politely first, hard after `graceMs`. Before the acknowledgement it closes the
   * channel. Resolves when the command has ended, or when everything was tried; `result` tells which.
   */
  terminate(graceMs: number): Promise<void>;
}
