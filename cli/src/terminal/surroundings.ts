import type { EndingSignal } from './exit-codes.ts';

export interface Sink {
  write(text: string): void;
  /** Waits until all written text has left the process. */
  flush(): Promise<void>;
  readonly isTTY: boolean;
  readonly columns: number;
}

export interface Source {
  readonly isTTY: boolean;
  readAll(): Promise<string>;
  /** Asks for one line; null = end of input. `hidden` = without echo. */
  readLine(question: string, options?: { hidden?: boolean; signal?: AbortSignal }): Promise<string | null>;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly folder: string;
  /** Calls the listener for each terminating signal, until the returned function is called. */
  onSignal(listener: (signal: EndingSignal) => void): () => void;
}
