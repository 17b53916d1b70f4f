import { describe, expect, it } from '@jest/globals';
import { type SeededRandom, seededRandom } from '../../../../test/support/seeded-random.js';
import type { OutputChunk, OutputStream, StoredOutput } from '../../output/line-assembler.js';
import { createRedactor } from '../../output/redact-secrets.js';
import { HostOutput, type RestoredOutput, type StreamBytes } from './host-output.js';

const SECRET = 'hunter2-hunter2';
const UNSHARED_TURNS = {
  isBudgetSpent: false,
  run: <T>(work: () => T) => work(),
  waitForTurn: () => Promise.resolve(),
};
const redactor = createRedactor([{ name: 'TOKEN', value: SECRET }]);
const sink = { scheduleStore: () => undefined, waitUntilStored: () => Promise.resolve() };
const MARK = 'runward-mark-0123456789';

type Piece = [OutputStream, Buffer];

class Store {
  readonly chunks: OutputChunk[] = [];
  before: StreamBytes = { stdout: 0, stderr: 0 };

  bytes(stream: OutputStream): Buffer {
    return Buffer.concat(this.chunks.filter((chunk) => chunk.stream === stream).map(({ data }) => data));
  }

  soFar(): RestoredOutput {
    const last = (chunk: OutputChunk) => chunk.firstLine + Math.max(0, chunk.lineCount - 1);
    const open = (stream: OutputStream) => {
      const chunk = this.chunks.filter((each) => each.stream === stream).at(-1);
      return chunk?.openEnded ? last(chunk) : 0;
    };
    const stored: StoredOutput = {
      lines: Math.max(0, ...this.chunks.map(last)),
      bytes: { stdout: this.bytes('stdout').length, stderr: this.bytes('stderr').length },
      openLine: { stdout: open('stdout'), stderr: open('stderr') },
    };
    return { stored, before: this.before };
  }
}

const LIMITS = { headBytes: 600, tailBytes: 200 };
const ALL = { headBytes: 1e9, tailBytes: 0 };

/** Pushes pieces and stores at random moments. @returns whether all pieces were pushed */
function feed(
  output: HostOutput,
  store: Store,
  pieces: readonly Piece[],
  random: SeededRandom,
  stopAt = Infinity,
): void {
  pieces.slice(0, stopAt).forEach(([stream, bytes], index) => {
    void output.appendBytes(stream, bytes);
    // Advances time fast, so that unfinished lines are released too.
    if (random.int(10) < 3) store.chunks.push(...output.collectChunks(Date.now() + index * 2000));
  });
}

function piecesOf(bytes: Record<OutputStream, Buffer>, random: SeededRandom): Piece[] {
  const left = { ...bytes };
  const pieces: Piece[] = [];
  while (left.stdout.length > 0 || left.stderr.length > 0) {
    const stream: OutputStream =
      left.stderr.length === 0 || (left.stdout.length > 0 && random.int(2) === 0) ? 'stdout' : 'stderr';
    const length = 1 + random.int(40);
    pieces.push([stream, left[stream].subarray(0, length)]);
    left[stream] = left[stream].subarray(length);
  }
  return pieces;
}

const WORDS = ['a', 'line\n', '\n', 'é', SECRET, SECRET.slice(0, 7), 'word ', '\r\n', 'x'.repeat(50), `${SECRET}\n`];
const textOf = (random: SeededRandom) =>
  Buffer.from(Array.from({ length: random.int(60) }, () => WORDS[random.int(WORDS.length)]).join(''));

function begin(output: HostOutput, store: Store): void {
  store.before = output.beginAttempt(MARK);
  store.chunks.push(...output.collectChunks(Date.now()));
}

function end(output: HostOutput, store: Store): void {
  output.endStreams();
  store.chunks.push(...output.collectChunks(Date.now()));
}

describe('output that continues in another worker', () => {
  it('is stored as if it had never been cut, at any position and any number of times', () => {
    for (let seed = 1; seed <= 400; seed += 1) {
      const random = seededRandom(seed);
      const command = { stdout: textOf(random), stderr: textOf(random) };
      const noise = Buffer.from(random.int(2) === 0 ? 'Welcome to the host' : '');
      const limits = random.int(2) === 0 ? ALL : LIMITS;

      const whole = new Store();
      const uncutOutput = new HostOutput('a', sink, redactor, ALL, UNSHARED_TURNS);
      if (noise.length > 0) void uncutOutput.appendBytes('stdout', noise);
      begin(uncutOutput, whole);
      feed(uncutOutput, whole, piecesOf(command, random), random);
      end(uncutOutput, whole);

      const store = new Store();
      let output = new HostOutput('a', sink, redactor, limits, UNSHARED_TURNS);
      if (noise.length > 0) void output.appendBytes('stdout', noise);
      begin(output, store);
      for (let cuts = random.int(4); cuts > 0; cuts -= 1) {
        const pieces = piecesOf(command, random);
        feed(output, store, pieces, random, random.int(pieces.length + 1));
        // Simulates both reconnects: a new worker knows only what is stored, the same worker also knows what it
        // accepted.
        if (random.int(10) < 7) output = new HostOutput('a', sink, redactor, limits, UNSHARED_TURNS, store.soFar());
        output.restartFromBeginning(MARK);
      }
      feed(output, store, piecesOf(command, random), random);
      end(output, store);

      if (limits === ALL) {
        for (const stream of ['stdout', 'stderr'] as const)
          expect([seed, store.bytes(stream).toString('latin1')]).toEqual([
            seed,
            whole.bytes(stream).toString('latin1'),
          ]);
        expect(output.getTotals()).toMatchObject({
          droppedBytes: 0,
          droppedLines: 0,
          lines: uncutOutput.getTotals().lines,
        });
        expectNumbered(store.chunks, output.getTotals().lines);
      } else {
        expect(store.bytes('stdout').length + store.bytes('stderr').length).toBeLessThanOrEqual(800);
        for (const stream of ['stdout', 'stderr'] as const) expectHeadAndTail(store.bytes(stream), whole.bytes(stream));
      }
      expect(store.bytes('stdout').includes(SECRET)).toBe(false);
    }
  });

  it('numbers the lines of a new attempt after those of the previous one, which ends its last line', () => {
    const store = new Store();
    let output = new HostOutput('a', sink, redactor, ALL, UNSHARED_TURNS);
    begin(output, store);
    void output.appendBytes('stdout', Buffer.from('one\nunfinished'));
    store.chunks.push(...output.collectChunks(Date.now() + 5000));
    output = new HostOutput('a', sink, redactor, ALL, UNSHARED_TURNS, store.soFar());
    begin(output, store);
    void output.appendBytes('stdout', Buffer.from('two\n'));
    end(output, store);
    expect(store.chunks.map(({ firstLine, lineCount, data }) => [firstLine, lineCount, data.toString()])).toEqual([
      [1, 1, 'one\n'],
      [2, 1, 'unfinished'],
      [3, 1, 'two\n'],
    ]);
  });

  it.each([
    ['nothing', '', 'one\n'],
    ['a part', 'on', 'one\n'],
    ['all but what was held back', 'one', 'one\n'],
    ['all', 'one\n', 'one\n'],
    ['more', 'one\ntwo\n', 'one\ntwo\n'],
    ['a trailer, which the line feed belongs to', `one\n${MARK} outputs 0\n`, 'one'],
  ])('keeps the last line feed where the command is lost after a replay of %s', (_, again, expected) => {
    const store = new Store();
    const output = new HostOutput('a', sink, redactor, ALL, UNSHARED_TURNS);
    begin(output, store);
    // The line feed may begin the trailer.
    void output.appendBytes('stdout', Buffer.from('one\n'));
    output.restartFromBeginning(MARK);
    output.restartFromBeginning(MARK);
    void output.appendBytes('stdout', Buffer.from(again));
    end(output, store);
    expect(store.bytes('stdout').toString()).toBe(expected);
  });

  it('reports the trailer of a command once, from any position of the replay', () => {
    const store = new Store();
    const said = `visible\n${MARK} outputs 6\na=bcd\n`;
    let output = new HostOutput('a', sink, redactor, ALL, UNSHARED_TURNS);
    begin(output, store);
    void output.appendBytes('stdout', Buffer.from(said.slice(0, 30)));
    store.chunks.push(...output.collectChunks(Date.now() + 5000));
    output = new HostOutput('a', sink, redactor, ALL, UNSHARED_TURNS, store.soFar());
    output.restartFromBeginning(MARK);
    void output.appendBytes('stdout', Buffer.from(said));
    expect(output.takeTrailer()?.outputs?.toString()).toBe('a=bcd\n');
    end(output, store);
    expect(store.bytes('stdout').toString()).toBe('visible');
  });
});

function expectNumbered(chunks: readonly OutputChunk[], lines: number): void {
  const begun = chunks.flatMap(({ firstLine, lineCount }) =>
    Array.from({ length: lineCount }, (_, index) => firstLine + index),
  );
  expect(begun.sort((a, b) => a - b)).toEqual(Array.from({ length: lines }, (_, index) => index + 1));
}

function expectHeadAndTail(kept: Buffer, whole: Buffer): void {
  let head = 0;
  while (head < kept.length && kept[head] === whole[head]) head += 1;
  const tail = kept.subarray(head);
  expect(whole.subarray(whole.length - tail.length).equals(tail)).toBe(true);
}
