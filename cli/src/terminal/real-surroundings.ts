import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { Writable } from 'node:stream';
import { CLOSED_PIPE_EXIT_CODE, EXIT_CODE_BY_SIGNAL, type EndingSignal } from './exit-codes.ts';
import type { Sink, Source, Surroundings } from './surroundings.ts';

const DEFAULT_COLUMNS = 80;
/**
 * Period in which two Ctrl-C count as one, in ms. npm passes the terminal's Ctrl-C on to its children, which also get
 * it directly.
 */
const REPEATED_SIGNAL_MS = 500;

export function realSurroundings(): Surroundings {
  return {
    env: process.env,
    stdin: createSource(),
    stdout: createSink(process.stdout),
    stderr: createSink(process.stderr),
    folder: process.cwd(),
    onSignal,
  };
}

function createSink(stream: NodeJS.WriteStream): Sink {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // EPIPE: the reader has closed the pipe, as in `runward … | head`.
    process.exit(error.code === 'EPIPE' ? CLOSED_PIPE_EXIT_CODE : 1);
  });
  return {
    write: (words) => void stream.write(words),
    flush: () => new Promise((done) => stream.write('', () => done())),
    get isTTY() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.columns || DEFAULT_COLUMNS;
    },
  };
}

function createSource(): Source {
  return {
    get isTTY() {
      return process.stdin.isTTY === true;
    },
    readAll: () => text(process.stdin),
    async readLine(question, { hidden = false, signal } = {}) {
      if (hidden) process.stderr.write(question);
      const output = hidden ? new Writable({ write: (_chunk, _encoding, done) => done() }) : process.stderr;
      const lines = createInterface({ input: process.stdin, output, terminal: process.stdin.isTTY === true });
      // In raw mode, readline receives Ctrl-C as a character.
      lines.on('SIGINT', () => {
        lines.close();
        process.kill(process.pid, 'SIGINT');
      });
      const ended = new Promise<null>((resolve) => lines.once('close', () => resolve(null)));
      try {
        return await Promise.race([lines.question(hidden ? '' : question, signal ? { signal } : {}), ended]);
      } catch {
        return null;
      } finally {
        lines.close();
        process.stdin.pause();
        if (hidden) process.stderr.write('\n');
      }
    },
  };
}

function onSignal(listener: (signal: EndingSignal) => void): () => void {
  let last = Number.NEGATIVE_INFINITY;
  const onSignalReceived = (signal: EndingSignal) => {
    const now = performance.now();
    if (now - last < REPEATED_SIGNAL_MS) return;
    last = now;
    listener(signal);
  };
  const signals = Object.keys(EXIT_CODE_BY_SIGNAL) as EndingSignal[];
  const listeners = signals.map((signal) => [signal, () => onSignalReceived(signal)] as const);
  for (const [signal, call] of listeners) process.on(signal, call);
  return () => {
    for (const [signal, call] of listeners) process.off(signal, call);
  };
}
