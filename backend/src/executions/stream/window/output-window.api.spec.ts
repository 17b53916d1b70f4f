import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { TestWorker } from '../../../../test/support/installation.js';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { type StoredLine, storeRandomOutput } from '../../../../test/support/stored-output.js';
import type { ExecutionView } from '../../contract/execution.view.js';
import type { OutputWindowView } from '../../contract/output-window.view.js';

let lab: RunLab;
let worker: TestWorker;
beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
  worker = await lab.runward.worker();
});
afterAll(() => lab.close());

const read = async (id: string, query: string): Promise<OutputWindowView> =>
  (await lab.api.get<OutputWindowView>(`/api/executions/${id}/output/window?${query}`)).body;

const linesOf = ({ steps, hosts, blocks }: OutputWindowView): StoredLine[] =>
  blocks.flatMap(({ step, host, stream, position, line, lines }) =>
    lines.map((text, n) => ({
      ...{ position: position + n, step: steps[step] ?? '', host: hosts[host]?.serverId ?? '' },
      ...{ stream, line: line + n, text },
    })),
  );

async function readForward(id: string, query: string): Promise<StoredLine[]> {
  const found: StoredLine[] = [];
  for (let from: number | null = 1; from !== null; ) {
    const window: OutputWindowView = await read(id, `${query}&from=${from}`);
    found.push(...linesOf(window));
    from = window.next;
  }
  return found;
}

async function readBackward(id: string, query: string, before: number): Promise<StoredLine[]> {
  const found: StoredLine[] = [];
  for (let place: number | null = before; place !== null; ) {
    const window: OutputWindowView = await read(id, `${query}&before=${place}`);
    found.unshift(...linesOf(window));
    place = window.previous;
  }
  return found;
}

describe.each([
  ['of random output', { headBytes: 1e9, tailBytes: 0 }],
  ['of random output that a limit cut', { headBytes: 20, tailBytes: 25 }],
])('windows %s', (_title, limits) => {
  let id: string;
  let all: StoredLine[];
  beforeAll(async () => ({ id, lines: all } = await storeRandomOutput(lab, seededRandom(5), { limits })));

  it('contain each line of the run once, in the order of storage, for each limit and direction', async () => {
    expect(all.length).toBeGreaterThan(30);
    for (const limit of [3, 7, 2000]) {
      expect(await readForward(id, `limit=${limit}`)).toEqual(all);
      expect(await readBackward(id, `limit=${limit}`, all.length + 1)).toEqual(all);
    }
  });

  it('contain only lines of the selection, with their positions in the run', async () => {
    const host = lab.servers[1]?.id ?? '';
    const selections: [string, (line: StoredLine) => boolean][] = [
      ['stepKey=two', ({ step }) => step === 'two'],
      [`serverId=${host}`, (line) => line.host === host],
      ['stream=stderr', ({ stream }) => stream === 'stderr'],
      ['stepKey=one&stream=stdout', ({ step, stream }) => step === 'one' && stream === 'stdout'],
      [`serverId=${host}&stream=stdout`, (line) => line.host === host && line.stream === 'stdout'],
    ];
    for (const [query, isSelected] of selections) {
      for (const limit of [5, 2000]) {
        expect(await readForward(id, `${query}&limit=${limit}`)).toEqual(all.filter(isSelected));
        expect(await readBackward(id, `${query}&limit=${limit}`, all.length + 1)).toEqual(all.filter(isSelected));
      }
    }
  });

  it('of a step on a host have line numbers as positions', async () => {
    const host = lab.servers[0]?.id ?? '';
    const expected = all
      .filter((line) => line.step === 'two' && line.host === host)
      .sort((one, other) => one.line - other.line)
      .map((line) => ({ ...line, position: line.line }));
    for (const limit of [1, 2000]) {
      expect(await readForward(id, `stepKey=two&serverId=${host}&limit=${limit}`)).toEqual(expected);
      expect(await readBackward(id, `stepKey=two&serverId=${host}&limit=${limit}`, 1e6)).toEqual(expected);
    }
  });

  it('of a step on a host report dropped output once, after its last line', async () => {
    const results = await lab.results(id);
    expect(results.some(({ droppedBytes }) => droppedBytes > 0)).toBe(limits.headBytes === 20);
    for (const { stepKey, serverId, droppedAfterLine, droppedLines, droppedBytes } of results) {
      const { blocks } = await read(id, `stepKey=${stepKey}&serverId=${serverId}&limit=2000`);
      expect(blocks.flatMap(({ line, dropped }) => (dropped ? [{ line, dropped }] : []))).toEqual(
        droppedAfterLine === null
          ? []
          : [{ line: droppedAfterLine + droppedLines + 1, dropped: { lines: droppedLines, bytes: droppedBytes } }],
      );
    }
  });

  it('of a step on a host also name their positions in the run', async () => {
    const host = lab.servers[0]?.id ?? '';
    const { blocks } = await read(id, `stepKey=two&serverId=${host}&from=2`);
    expect(blocks.length).toBeGreaterThan(0);
    for (const { runPosition, line } of blocks)
      expect(all[(runPosition ?? 0) - 1]).toMatchObject({ step: 'two', host, line });
    expect((await read(id, `stepKey=two`)).blocks.some(({ runPosition }) => runPosition !== undefined)).toBe(false);
  });

  it('around a position have half of the limit before it', async () => {
    for (const [around, from, to] of [
      [20, 15, 24],
      [1, 1, 5],
      [all.length, all.length - 5, all.length],
    ] as const) {
      const window = await read(id, `around=${around}&limit=10`);
      expect(linesOf(window)).toEqual(all.slice(from - 1, to));
      expect(window).toMatchObject({
        previous: from === 1 ? null : from,
        next: to === all.length ? null : to + 1,
        first: 1,
        last: all.length,
      });
    }
  });

  it('at the end have the last lines, and a range has exactly its lines', async () => {
    expect(linesOf(await read(id, 'tail=7'))).toEqual(all.slice(-7));
    expect(linesOf(await read(id, 'from=8&to=11'))).toEqual(all.slice(7, 11));
    expect(linesOf(await read(id, `from=${all.length + 5}`))).toEqual([]);
  });
});

describe('a window', () => {
  let run: ExecutionView;
  beforeAll(async () => {
    run = await lab.run(['true'], { targets: 'name=web-1' });
  });

  it('of a run without output is empty', async () => {
    expect(await read(run.id, '')).toEqual({
      ...{ steps: [], hosts: [], blocks: [], previous: null, next: null, first: 0, last: 0 },
    });
  });

  it('is refused for parameters that exclude each other', async () => {
    for (const query of [
      'from=1&tail=5',
      'before=5&around=3',
      'to=4',
      'from=5&to=4',
      'tail=0',
      'from=0',
      'limit=2001',
      'from=x',
    ]) {
      const { status, body } = await lab.api.get(`/api/executions/${run.id}/output/window?${query}`);
      expect([query, status, body]).toMatchObject([query, 400, { errors: [{ path: expect.stringMatching(/^\?/) }] }]);
    }
    expect((await lab.api.get(`/api/executions/${run.id}/output/window?stepKey=none`)).status).toBe(400);
  });

  it('reports where the output limit dropped lines, and how many', async () => {
    await worker.stop();
    worker = await lab.runward.worker({ outputLimitBytes: 65_536 });
    const flood = await lab.run(['seq -w 1 100000'], { targets: 'name=web-1' });
    const [result] = await lab.results(flood.id);
    const host = lab.servers[0]?.id ?? '';
    const { droppedAfterLine, droppedLines = 0, droppedBytes } = result ?? {};
    const after = Number(droppedAfterLine);
    expect(after).toBeGreaterThan(1000);
    const window = await read(flood.id, `stepKey=step-1&serverId=${host}&around=${after + 1}&limit=10`);
    const texts = linesOf(window).map(({ line, text }) => [line, text]);
    const numbered = (line: number) => [line, String(line).padStart(6, '0')];
    const next = after + droppedLines + 1;
    expect(texts).toEqual([
      ...Array.from({ length: 4 }, (_, n) => numbered(after - 4 + n)),
      [after, expect.stringMatching(/^0\d*$/)],
      ...Array.from({ length: 5 }, (_, n) => numbered(next + n)),
    ]);
    expect(window.blocks.map(({ dropped }) => dropped).filter(Boolean)).toEqual([
      { lines: droppedLines, bytes: droppedBytes },
    ]);
    expect(window).toMatchObject({ first: 1, last: 100_000 });
  });

  it('reports where the output limit cut a single line, and shows its end', async () => {
    const run = await lab.run([`echo before; head -c 300000 /dev/zero | tr '\\0' y; echo the end; echo after`], {
      targets: 'name=web-1',
    });
    const { blocks } = await read(run.id, `stepKey=step-1&serverId=${lab.servers[0]?.id}`);
    expect(
      blocks.map(({ line, lines, dropped, continues, truncated }) => [
        line,
        lines[0]?.slice(0, 6),
        dropped,
        continues,
        truncated,
      ]),
    ).toEqual([
      [1, 'before', undefined, undefined, undefined],
      [2, 'yyyyyy', undefined, undefined, [0]],
      [3, 'yyyyyy', { lines: 0, bytes: expect.any(Number) }, true, [0]],
      [4, 'after', undefined, undefined, undefined],
    ]);
  });
});

describe('a very long line', () => {
  it('has one position, and its beginning is returned', async () => {
    await worker.stop();
    worker = await lab.runward.worker();
    const run = await lab.run([`echo before; head -c 300000 /dev/zero | tr '\\0' y; echo; echo after`], {
      targets: 'name=web-1',
    });
    const window = await read(run.id, '');
    expect(linesOf(window).map(({ position, text }) => [position, text.length])).toEqual([
      [1, 6],
      [2, 16_384],
      [3, 5],
    ]);
    expect(window.blocks.flatMap(({ line, truncated = [] }) => truncated.map((index) => line + index))).toEqual([2]);
  });

  it('of a progress bar is returned with its latest state', async () => {
    const run = await lab.run([`for n in $(seq 1 9000); do printf '%s of 9000\\r' $n; done; echo; echo after`], {
      targets: 'name=web-1',
    });
    const [progress, after] = linesOf(await read(run.id, ''));
    expect(progress?.text.length).toBeLessThanOrEqual(16_384);
    expect(progress?.text).toMatch(/8999 of 9000\r9000 of 9000$/);
    expect(after?.text).toBe('after');
  });
});
