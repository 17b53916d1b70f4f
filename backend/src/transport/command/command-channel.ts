import type { Readable } from 'node:stream';

/**
 * Channel of a command: a separate SSH channel, or a turn of a resident shell that runs commands with a journal. It
 * emits the events of ssh2 channels, and `ended` with the exit status that a shell reported.
 */
export interface CommandChannel extends Readable {
  readonly stderr: Readable;
  /**
   * The launcher has already run a command and reads this input. No handshake is needed, and all data on standard error
   * is the command's own.
   */
  readonly warm?: boolean;
  /** After close: the connection was lost before all output arrived. */
  readonly cut?: boolean;
  write(text: string): unknown;
  /** Sends the command. Empty input: closes the input without a command. */
  end(input: string): unknown;
  close(): void;
}
