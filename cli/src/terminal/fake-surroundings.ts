import type { EndingSignal } from './exit-codes.ts';
import type { Surroundings } from './surroundings.ts';

export interface FakeSurroundings extends Surroundings {
  out(): string;
  err(): string;
  signal(signal: EndingSignal): void;
}

interface Options {
  env?: Record<string, string>;
  terminal?: boolean;
  input?: string;
  typed?: string[];
  folder?: string;
}

export function fakeSurroundings({
  env = {},
  terminal = false,
  input = '',
  typed = [],
  folder = '/',
}: Options = {}): FakeSurroundings {
  let [out, err] = ['', ''];
  const listeners = new Set<(signal: EndingSignal) => void>();
  const sink = (take: (text: string) => void) => ({
    write: take,
    flush: () => Promise.resolve(),
    isTTY: terminal,
    columns: 80,
  });
  return {
    env,
    folder,
    stdin: {
      isTTY: terminal,
      readAll: () => Promise.resolve(input),
      readLine(question) {
        err += question;
        return Promise.resolve(typed.shift() ?? null);
      },
    },
    stdout: sink((text) => (out += text)),
    stderr: sink((text) => (err += text)),
    onSignal(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    signal: (signal) => {
      for (const listener of listeners) listener(signal);
    },
    out: () => out,
    err: () => err,
  };
}
