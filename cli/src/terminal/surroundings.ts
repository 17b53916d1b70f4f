import type { EndingSignal } from '../exit-codes.ts';

/** An output stream. */
export interface Sink {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number;
}

/** An input stream. */
export interface Source {
  readonly isTTY: boolean;
  /** The whole input. */
  readAll(): Promise<string>;
  /** One typed line; null: end of input. `hidden`: without echo. */
  readLine(question: string, options?: { hidden?: boolean; signal?: AbortSignal }): Promise<string | null>;
}

/** Environment of the program: streams, variables, signals. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Working directory. */
  readonly folder: string;
  /** Calls the listener for each terminating signal, until the returned function is called. */
  onSignal(listener: (signal: EndingSignal) => void): () => void;
}
