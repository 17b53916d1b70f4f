import type { Readable } from 'node:stream';

/**
 * What a command goes over: a channel of its own, or a turn at the shell that stays for commands with a journal. Its
 * events are those of ssh2's channels, and `ended` with an exit status that a shell told of the command.
 */
export interface CommandChannel extends Readable {
  readonly stderr: Readable;
  /**
   * A launcher that has ended another command before reads this input: no handshake is needed, and what comes on standard
   * error is the command's own from the first byte on.
   */
  readonly warm?: boolean;
  /** Once it is closed: the connection was lost before all output had come. */
  readonly cut?: boolean;
  write(text: string): unknown;
  /** Sends the command. Empty: ends the input without one. */
  end(input: string): unknown;
  close(): void;
}
