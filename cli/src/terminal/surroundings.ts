import type { EndingSignal } from '../exit-codes.ts';

/** Where text goes. */
export interface Sink {
  write(text: string): void;
  readonly isTTY: boolean;
  readonly columns: number;
}

/** Where what a person or a pipe says comes from. */
export interface Source {
  readonly isTTY: boolean;
  /** All of it, up to its end. */
  readAll(): Promise<string>;
  /** One line that was typed after the question; null: the input ended. `hidden`: what is typed is not shown. */
  readLine(question: string, options?: { hidden?: boolean; signal?: AbortSignal }): Promise<string | null>;
}

/** All that the program knows of the machine that it runs on. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Source;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** The folder that names of files are relative to. */
  readonly folder: string;
  /** Calls at each signal that would end the program, until the answer is called. */
  onSignal(listener: (signal: EndingSignal) => void): () => void;
}
