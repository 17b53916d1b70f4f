import type { Readable } from 'node:stream';

/**
 * Channel of a command. It is a separate SSH channel, or one command of a resident shell, which runs commands with a
 * journal. It emits the events of ssh2 channels, and `ended` with the exit status that a shell reported.
 */
export interface CommandChannel extends Readable {
  readonly stderr: Readable;
  /**
   * Whether the launcher has already run a command and reads this input. Then no handshake is needed, and all data on
   * standard error belongs to the command.
   */
  readonly warm?: boolean;
  /** Set after the close: whether the connection was lost before all output arrived. */
  readonly cut?: boolean;
  write(text: string): unknown;
  end(input: string): unknown;
  close(): void;
}
