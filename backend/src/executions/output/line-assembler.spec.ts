import { describe, expect, it } from '@jest/globals';
import { type SeededRandom, seededRandom } from '../../../test/support/seeded-random.js';
import { LineAssembler, type OutputChunk, type OutputStream } from './line-assembler.js';
import { CHUNK_BYTES } from './output-piece.js';

const ALL = { headBytes: 1e9, tailBytes: 0 };

const short = (chunk: OutputChunk) =>
  `${chunk.stream === 'stdout' ? 'o' : 'e'}${chunk.firstLine}+${chunk.lineCount}${chunk.continues ? ' <' : ''}${
    chunk.openEnded ? ' >' : ''
  } ${JSON.stringify(chunk.data.toString('latin1'))}`;

const push = (assembler: LineAssembler, stream: OutputStream, text: string, at = 0) =>
  assembler.push(stream, Buffer.from(text), at);

describe('lines of one stream', () => {
  it('are returned together once they are complete', () => {
    const assembler = new LineAssembler(ALL);
    push(assembler, 'stdout', 'one\ntw');
    push(assembler, 'stdout', 'o\r\n\nthree');
    expect(assembler.flushDueChunks(0).map(short)).toEqual(['o1+3 "one\\ntwo\\r\\n\\n"']);
    expect(assembler.flushDueChunks(999).map(short)).toEqual([]);
    push(assembler, 'stdout', '\n');
    expect(assembler.endOutput().map(short)).toEqual(['o4+1 "three\\n"']);
  });

  it('are returned in part after a second', () => {
    const assembler = new LineAssembler(ALL);
    push(assembler, 'stdout', 'whole\nContinue? ', 500);
    expect(assembler.flushDueChunks(1499).map(short)).toEqual(['o1+1 "whole\\n"']);
    expect(assembler.flushDueChunks(1500).map(short)).toEqual(['o2+1 > "Continue? "']);
    push(assembler, 'stdout', 'y', 1600);
    expect(assembler.flushDueChunks(1700)).toEqual([]);
    expect(assembler.flushDueChunks(2600).map(short)).toEqual(['o2+0 < > "y"']);
    push(assembler, 'stdout', 'es\nnext\n', 2700);
    expect(assembler.flushDueChunks(2700).map(short)).toEqual(['o2+0 < "es\\n"', 'o3+1 "next\\n"']);
    expect(assembler.endOutput()).toEqual([]);
  });

  it('are returned without a line end when the stream ends', () => {
    const assembler = new LineAssembler(ALL);
    push(assembler, 'stdout', 'one\ntwo');
    expect(assembler.endOutput().map(short)).toEqual(['o1+2 > "one\\ntwo"']);
  });

  it('carry the arrival time of their first byte', () => {
    const assembler = new LineAssembler(ALL);
    push(assembler, 'stdout', 'one\ntwo', 10);
    push(assembler, 'stdout', '\nthree\n', 20);
    expect(assembler.flushDueChunks(20).map(({ at }) => at)).toEqual([10]);
    push(assembler, 'stdout', 'four', 30);
    push(assembler, 'stdout', '\n', 40);
    expect(assembler.flushDueChunks(40).map(({ at }) => at)).toEqual([30]);
  });

  it('are empty when there was no output', () => {
    const assembler = new LineAssembler(ALL);
    push(assembler, 'stdout', '');
    expect(assembler.flushDueChunks(5000)).toEqual([]);
    expect(assembler.endOutput()).toEqual([]);
    expect(assembler.lines).toBe(0);
    expect(() => push(assembler, 'stdout', 'late')).toThrow('after its end');
  });
});

describe('chunks', () => {
  it('contain 16 KiB at most and split no line that fits into one', () => {
    const assembler = new LineAssembler(ALL);
    push(assembler, 'stdout', `${'a'.repeat(9000)}\n${'b'.repeat(9000)}\n`);
    push(assembler, 'stdout', 'c'.repeat(5000));
    push(assembler, 'stdout', `${'c'.repeat(6000)}\n`);
    const chunks = assembler.flushDueChunks(0);
    expect(chunks.map(({ firstLine, lineCount, data }) => [firstLine, lineCount, data.length])).toEqual([
      [1, 1, 9001],
      [2, 1, 9001],
      [3, 1, 11001],
    ]);
  });

  it('return a line longer than 16 KiB in parts, without waiting for its end', () => {
    const assembler = new LineAssembler(ALL);
    push(assembler, 'stdout', `first\n${'x'.repeat(2 * CHUNK_BYTES + 10)}`);
    const chunks = assembler.flushDueChunks(0);
    expect(
      chunks.map(({ firstLine, lineCount, continues, openEnded, data }) => [
        firstLine,
        lineCount,
        continues,
        openEnded,
        data.length,
      ]),
    ).toEqual([
      [1, 1, false, false, 6],
      [2, 1, false, true, CHUNK_BYTES],
      [2, 0, true, true, CHUNK_BYTES],
    ]);
    expect(assembler.endOutput().map(short)).toEqual([`o2+0 < > "${'x'.repeat(10)}"`]);
  });

  it('end at a character boundary', () => {
    const assembler = new LineAssembler(ALL);
    push(assembler, 'stdout', `${'a'.repeat(CHUNK_BYTES - 1)}€${'b'.repeat(10)}`);
    const [first, second] = [...assembler.flushDueChunks(0), ...assembler.endOutput()];
    expect(first?.data.length).toBe(CHUNK_BYTES - 1);
    expect(second?.data.toString()).toBe(`€${'b'.repeat(10)}`);
    const slow = new LineAssembler(ALL);
    slow.push('stdout', Buffer.from([0x61, 0xe2, 0x82]), 0);
    expect(slow.flushDueChunks(1000).map(({ data }) => data.toString('hex'))).toEqual(['61']);
    slow.push('stdout', Buffer.from([0xac]), 1100);
    expect(slow.flushDueChunks(2100).map(({ data }) => data.toString())).toEqual(['€']);
  });

  it('do not reference the input buffers', () => {
    const assembler = new LineAssembler(ALL);
    const bytes = Buffer.from('one\n');
    assembler.push('stdout', bytes, 0);
    bytes.fill(0);
    expect(assembler.flushDueChunks(0).map(short)).toEqual(['o1+1 "one\\n"']);
  });

  it('are announced, so that a flood is flushed in time', () => {
    const assembler = new LineAssembler({ headBytes: 100, tailBytes: 100 });
    push(assembler, 'stdout', 'one\ntwo');
    expect(assembler.waitingBytes).toBe(7);
    assembler.flushDueChunks(0);
    expect(assembler.waitingBytes).toBe(3);
    push(assembler, 'stdout', 'x'.repeat(1000));
    expect(assembler.waitingBytes).toBe(96);
    assembler.flushDueChunks(0);
    expect(assembler.waitingBytes).toBe(0);
  });
});

describe('lines of two streams', () => {
  it('are numbered in the order in which they begin', () => {
    const assembler = new LineAssembler(ALL);
    push(assembler, 'stdout', 'a\nb');
    push(assembler, 'stderr', 'E\nF');
    push(assembler, 'stdout', 'B\nc\n');
    push(assembler, 'stderr', '\n');
    expect(assembler.flushDueChunks(0).map(short)).toEqual(['o1+2 "a\\nbB\\n"', 'e3+2 "E\\nF\\n"', 'o5+1 "c\\n"']);
  });

  it('do not wait for one another', () => {
    const assembler = new LineAssembler(ALL);
    push(assembler, 'stdout', 'waiting');
    push(assembler, 'stderr', 'whole\n');
    expect(assembler.flushDueChunks(0).map(short)).toEqual(['e2+1 "whole\\n"']);
    expect(assembler.endOutput().map(short)).toEqual(['o1+1 > "waiting"']);
  });
});

describe('too much output', () => {
  it('loses its middle and keeps its numbers', () => {
    const assembler = new LineAssembler({ headBytes: 6, tailBytes: 6 });
    push(assembler, 'stdout', '1\n2\n3\n4\n5\n6\n7\n8\n9\n');
    expect(assembler.flushDueChunks(0).map(short)).toEqual(['o1+3 "1\\n2\\n3\\n"']);
    expect(assembler.endOutput().map(short)).toEqual(['o7+3 "7\\n8\\n9\\n"']);
    expect(assembler).toMatchObject({ bytes: 18, lines: 9, droppedBytes: 6, droppedLines: 3, lastHeadLine: 3 });
  });

  it('loses nothing while it fits into head and tail', () => {
    const assembler = new LineAssembler({ headBytes: 5, tailBytes: 100 });
    push(assembler, 'stdout', 'one\ntwo\nthree');
    expect(assembler.flushDueChunks(0).map(short)).toEqual(['o1+2 > "one\\nt"']);
    expect(assembler.endOutput().map(short)).toEqual(['o2+0 < "wo\\n"', 'o3+1 > "three"']);
    expect(assembler).toMatchObject({ droppedBytes: 0, droppedLines: 0 });
  });

  it('keeps the end of a single endless line', () => {
    const assembler = new LineAssembler({ headBytes: 3, tailBytes: 4 });
    push(assembler, 'stdout', '0123456789');
    expect(assembler.flushDueChunks(0).map(short)).toEqual(['o1+1 > "012"']);
    expect(assembler.endOutput().map(short)).toEqual(['o2+1 < > "6789"']);
    expect(assembler).toMatchObject({ lines: 2, droppedBytes: 3, droppedLines: 0, lastHeadLine: 1 });
  });

  it('numbers the ends of cut lines before the lines that begin in the tail', () => {
    const assembler = new LineAssembler({ headBytes: 6, tailBytes: 11 });
    push(assembler, 'stdout', 'out');
    push(assembler, 'stderr', 'err3\n3\n4\n5\n');
    push(assembler, 'stderr', '6\n');
    push(assembler, 'stdout', 'put\n');
    push(assembler, 'stderr', '7\n8\n');
    expect(assembler.flushDueChunks(9_999).map(short)).toEqual(['o1+1 > "out"', 'e2+1 > "err"']);
    expect(assembler.endOutput().map(short)).toEqual(['o6+1 < "put\\n"', 'e7+1 "6\\n"', 'e8+2 "7\\n8\\n"']);
    expect(assembler).toMatchObject({ lines: 9, droppedLines: 3, lastHeadLine: 2 });
  });

  it('counts a line as dropped only when none of it is left', () => {
    const assembler = new LineAssembler({ headBytes: 2, tailBytes: 4 });
    push(assembler, 'stdout', 'a\nbbb\ncccccc');
    expect([...assembler.flushDueChunks(0), ...assembler.endOutput()].map(short)).toEqual([
      'o1+1 "a\\n"',
      'o3+1 < > "cccc"',
    ]);
    expect(assembler).toMatchObject({ droppedBytes: 6, droppedLines: 1 });
  });

  it('keeps a line whole that outgrows the chunk where it began', () => {
    const assembler = new LineAssembler({ headBytes: 0, tailBytes: 14_000 });
    for (let line = 0; line < 5; line += 1) push(assembler, 'stdout', `${'a'.repeat(2999)}\n`);
    for (const length of [1000, 3000, 9000]) push(assembler, 'stdout', 'b'.repeat(length));
    const [line, ...none] = assembler.endOutput();
    expect(none).toEqual([]);
    expect(line).toMatchObject({ firstLine: 6, lineCount: 1, continues: false, openEnded: true });
    expect(line?.data.toString()).toBe('b'.repeat(13_000));
    expect(assembler).toMatchObject({ droppedBytes: 15_000, droppedLines: 5 });
  });

  it('may keep nothing at all', () => {
    const assembler = new LineAssembler({ headBytes: 0, tailBytes: 0 });
    push(assembler, 'stdout', 'a\nb');
    push(assembler, 'stderr', 'c\n');
    expect([...assembler.flushDueChunks(9999), ...assembler.endOutput()]).toEqual([]);
    expect(assembler).toMatchObject({ droppedBytes: 5, droppedLines: 3 });
  });

  it('keeps few pieces of a host that writes to both streams in turn', () => {
    const assembler = new LineAssembler({ headBytes: 0, tailBytes: 6400 });
    for (let line = 0; line < 20_000; line += 1) push(assembler, line % 2 ? 'stderr' : 'stdout', '\n');
    const chunks = assembler.endOutput();
    expect(chunks).toHaveLength(64 + 100);
    expect(chunks.at(-1)?.firstLine).toBe(20_000);
    expect(assembler).toMatchObject({ droppedBytes: 20_000 - 164, droppedLines: 20_000 - 164 });
  });
});

describe('random output', () => {
  const streams: OutputStream[] = ['stdout', 'stderr'];

  interface Push {
    stream: OutputStream;
    bytes: Buffer;
  }

  function output(random: SeededRandom): Push[] {
    const { size, pushes } = random.pick([
      { size: 3, pushes: 40 },
      { size: 40, pushes: 40 },
      { size: 3000, pushes: 12 },
      { size: 1000, pushes: 60 },
      { size: 20_000, pushes: 5 },
    ]);
    return Array.from({ length: random.int(pushes) }, () => {
      const lines = Array.from({ length: random.int(5) }, () =>
        random.text(random.int(size), ['a', 'é', '€', '\r', ' ']),
      );
      return { stream: random.pick(streams), bytes: Buffer.from(lines.join('\n')).subarray(random.int(3)) };
    });
  }

  function numbers(pushes: Push[]): { lines: number; of: Record<OutputStream, number[]> } {
    let lines = 0;
    const open = { stdout: 0, stderr: 0 };
    const of: Record<OutputStream, number[]> = { stdout: [], stderr: [] };
    for (const { stream, bytes } of pushes) {
      for (const byte of bytes) {
        if (open[stream] === 0) open[stream] = lines += 1;
        of[stream].push(open[stream]);
        if (byte === 10) open[stream] = 0;
      }
    }
    return { lines, of };
  }

  it('is described correctly by its chunks, and missing bytes are counted exactly', () => {
    const random = seededRandom(31);
    let [dropping, cutLines] = [0, 0];
    for (let round = 0; round < 150; round += 1) {
      const pushes = output(random);
      const total = pushes.reduce((sum, { bytes }) => sum + bytes.length, 0);
      const headBytes = random.pick([0, total, random.int(total + 1)]);
      const tailBytes = random.pick([random.int(total + 1), random.int(16_000)]);
      const assembler = new LineAssembler({ headBytes, tailBytes });
      const chunks: OutputChunk[] = [];
      pushes.forEach(({ stream, bytes }, at) => {
        assembler.push(stream, bytes, at * 400);
        if (random.int(3) === 0) chunks.push(...assembler.flushDueChunks(at * 400));
      });
      chunks.push(...assembler.endOutput());
      const expected = numbers(pushes);

      let headLeft = headBytes;
      const inHead = { stdout: 0, stderr: 0 };
      for (const { stream, bytes } of pushes) {
        const taken = Math.min(headLeft, bytes.length);
        headLeft -= taken;
        inHead[stream] += taken;
      }
      const given = new Set<number>();
      const tail: { chunk: OutputChunk; line: number | undefined; isEnd: boolean }[] = [];
      let givenBytes = 0;
      for (const stream of streams) {
        const whole = Buffer.concat(pushes.filter((one) => one.stream === stream).map(({ bytes }) => bytes));
        const own = chunks.filter((chunk) => chunk.stream === stream);
        const missing = whole.length - own.reduce((sum, { data }) => sum + data.length, 0);
        let at = 0;
        for (const chunk of own) {
          const followsDropped = at === inHead[stream] && assembler.droppedBytes > 0;
          if (at === inHead[stream]) at += missing;
          const end = at + chunk.data.length;
          const lines = expected.of[stream].slice(at, end);
          const isLineStart = (place: number) => place === 0 || whole[place - 1] === 10;
          expect(chunk.data.equals(whole.subarray(at, end))).toBe(true);
          expect(chunk.data.length).toBeGreaterThan(0);
          expect(chunk.data.length).toBeLessThanOrEqual(CHUNK_BYTES);
          expect(chunk.continues).toBe(!isLineStart(at));
          expect(chunk.openEnded).toBe(whole[end - 1] !== 10);
          if (at < inHead[stream] || assembler.droppedBytes === 0) expect(chunk.firstLine).toBe(lines[0]);
          else tail.push({ chunk, line: lines[0], isEnd: followsDropped && chunk.continues });
          expect(chunk.lineCount).toBe(new Set(lines).size - (chunk.continues && !followsDropped ? 1 : 0));
          if (chunk.continues) expect(chunk.lineCount).toBe(followsDropped ? 1 : 0);
          expect(new Set(lines).size).toBe(Math.max(1, chunk.lineCount));
          for (const line of lines) given.add(line);
          givenBytes += chunk.data.length;
          at = end;
        }
        if (at === inHead[stream]) at += missing;
        expect(at).toBe(whole.length);
      }
      const lastHeadLine = assembler.lastHeadLine ?? 0;
      const ends = tail.filter(({ isEnd }) => isEnd);
      const added = ends.filter(({ line }) => (line ?? 0) <= lastHeadLine).length;
      const isOfEnd = (line: number | undefined) => ends.some((end) => end.line === line);
      for (const { chunk, line } of tail)
        if (!isOfEnd(line)) expect(chunk.firstLine).toBe((line ?? 0) + added);
        else expect(chunk.firstLine).toBe(ends.find((end) => end.line === line)?.chunk.firstLine);
      const tailNumbers = tail.flatMap(({ chunk }) =>
        Array.from({ length: chunk.lineCount }, (_, index) => chunk.firstLine + index),
      );
      if (assembler.droppedBytes > 0)
        expect(tailNumbers.sort((a, b) => a - b)).toEqual(
          Array.from(tailNumbers, (_, index) => lastHeadLine + assembler.droppedLines + 1 + index),
        );
      cutLines += added;
      expect(assembler.bytes).toBe(total);
      expect(assembler.lines).toBe(expected.lines + added);
      expect(assembler.droppedBytes).toBe(total - givenBytes);
      expect(assembler.droppedLines).toBe(expected.lines - given.size);
      expect(givenBytes).toBeLessThanOrEqual(headBytes + tailBytes);
      if (headBytes + tailBytes >= total && pushes.length < 64) expect(assembler.droppedBytes).toBe(0);
      if (assembler.droppedLines > 0) dropping += 1;
    }
    expect(dropping).toBeGreaterThan(30);
    expect(cutLines).toBeGreaterThan(2);
  });
});
