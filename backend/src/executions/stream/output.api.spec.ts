import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, untilUnchanged } from '../../../test/support/eventually.js';
import type { TestWorker } from '../../../test/support/installation.js';
import { encodeCursor } from '../../common/http/paging/cursor.js';
import { newId } from '../../common/ids.js';
import { seededRandom, type SeededRandom } from '../../../test/support/seeded-random.js';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { OutputLineView, OutputView } from '../contract/results.view.js';
import type { OutputWindowView } from '../contract/output-window.view.js';

const MIB = 1024 * 1024;
const SMALL_LIMIT = 65_536;

let lab: RunLab;
let worker: TestWorker;

const page = async (id: string, query: string) =>
  (await lab.api.get<OutputView>(`/api/executions/${id}/output?${query}`)).body;
const download = async (id: string, query: string): Promise<Buffer> => {
  const headers = { authorization: `Bearer ${lab.admin.token}`, accept: 'text/plain' };
  const response = await fetch(`${lab.runward.url}/api/executions/${id}/output?${query}`, { headers });
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  return Buffer.from(await response.arrayBuffer());
};
const first = () => lab.servers[0]?.id ?? '';

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  worker = await lab.runward.worker();
});
afterAll(() => lab.close());

describe('lines of output', () => {
  let run: ExecutionView;
  beforeAll(async () => {
    run = await lab.run([
      { key: 'one', command: `echo Alpha; sleep 0.1; echo beta >&2; sleep 0.1; echo; printf 'no end'` },
      { key: 'two', command: 'echo gamma', targets: 'role=web' },
    ]);
  });

  it('are numbered per host and step, over both streams, in the order in which they began', async () => {
    const lines = await lab.lines(run.id, `stepKey=one&serverId=${first()}`);
    expect(lines.map(({ line, stream, text, partial }) => [line, stream, text, partial])).toEqual([
      [1, 'stdout', 'Alpha', false],
      [2, 'stderr', 'beta', false],
      [3, 'stdout', '', false],
      [4, 'stdout', 'no end', true],
    ]);
    expect(lines[0]).toMatchObject({ stepKey: 'one', serverId: first(), serverName: 'web-1', continues: false });
    expect((await lab.results(run.id))[0]).toMatchObject({
      outputLines: 4,
      outputBytes: 'Alpha\nbeta\n\nno end'.length,
    });
  });

  it('are filtered by step, host, stream and text, ignoring case', async () => {
    const texts = async (query: string) =>
      (await lab.lines(run.id, query)).map(({ serverName, text }) => `${serverName} ${text}`).sort();
    expect(await texts('stepKey=two')).toEqual(['web-1 gamma']);
    expect(await texts('stream=stderr')).toEqual(['web-1 beta', 'web-2 beta']);
    expect(await texts('q=ALPHA')).toEqual(['web-1 Alpha', 'web-2 Alpha']);
    expect(await texts(`q=a&serverId=${first()}&stream=stdout`)).toEqual(['web-1 Alpha', 'web-1 gamma']);
    expect(await texts('q=100%25_')).toEqual([]);
    expect(await texts(`serverId=${newId()}`)).toEqual([]);
  });

  it('are returned in pages that contain each of them once, also between the lines of one chunk', async () => {
    const all = (await lab.lines(run.id)).map(({ serverName, stepKey, line }) => `${serverName} ${stepKey} ${line}`);
    for (const limit of [1, 2, 3, 200]) {
      const paged = (await lab.lines(run.id, `limit=${limit}`)).map(
        ({ serverName, stepKey, line }) => `${serverName} ${stepKey} ${line}`,
      );
      expect(paged).toEqual(all);
    }
    expect(await page(run.id, 'limit=9')).toMatchObject({ nextAfter: null });
  });

  it('are refused for an invalid parameter', async () => {
    const cursor = (...place: number[]) => encodeCursor(place);
    for (const query of [
      'limit=0',
      'limit=5001',
      'after=x',
      `after=${cursor(1.5, 0)}`,
      `after=${cursor(1, -1)}`,
      'stream=both',
      'host=web-1',
      'q=a&q=b',
    ]) {
      expect((await lab.api.get(`/api/executions/${run.id}/output?${query}`)).status).toBe(400);
    }
    expect((await lab.api.get('/api/executions/nonsense/output')).status).toBe(404);
  });

  it('that arrive later are found from the end of the last page', async () => {
    const { id } = await lab.start(
      await lab.plan([`echo before; until [ -e ${lab.evidence}/more ]; do sleep 0.1; done; echo after`], {
        targets: 'name=web-1',
      }),
    );
    const early = await eventually('the first line is stored', async () => {
      const found = await page(id, '');
      return found.items.length > 0 && found;
    });
    expect(early.nextAfter).not.toBeNull();
    expect((await page(id, `after=${early.nextAfter}`)).items).toEqual([]);
    await writeFile(`${lab.evidence}/more`, '');
    await lab.settled(id);
    const late = await page(id, `after=${early.nextAfter}`);
    expect([late.items.map(({ line, text }) => [line, text]), late.nextAfter]).toEqual([[[2, 'after']], null]);
  });
});

describe('the download', () => {
  it("of one host and step is the command's output, byte for byte", async () => {
    const run = await lab.run([`printf 'a\\000b\\377\\r\\n\\303\\251 \\303'; printf 'x\\ny'; echo error >&2`], {
      targets: 'name=web-1',
    });
    const wrote = Buffer.from([
      ...Buffer.from('a'),
      0,
      ...Buffer.from('b'),
      0xff,
      0x0d,
      0x0a,
      0xc3,
      0xa9,
      0x20,
      0xc3,
      ...Buffer.from('x\ny'),
    ]);
    expect(await download(run.id, `serverId=${first()}&stepKey=step-1&stream=stdout`)).toEqual(wrote);
    expect((await download(run.id, `serverId=${first()}&stepKey=step-1&stream=stderr`)).toString()).toBe('error\n');
  });

  it('of several contains the host, step and number of each line', async () => {
    const run = await lab.run(['echo hello']);
    const text = (await download(run.id, '')).toString();
    expect(text.trim().split('\n').sort()).toEqual(['web-1 step-1 1: hello', 'web-2 step-1 1: hello']);
  });

  it('as NDJSON has the lines of the pages, each an object with the same fields', async () => {
    const run = await lab.run([`echo one; echo two >&2; seq 1 1000; printf 'no end'`]);
    const read = async (query: string) => {
      const path = `/api/executions/${run.id}/output?${query}`;
      const { text, headers } = await lab.api.get(path, { accept: 'application/x-ndjson' });
      expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
      const lines = text.split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line) as OutputLineView);
    };
    expect(await read('')).toEqual(await lab.lines(run.id));
    expect(await read('q=99')).toEqual(await lab.lines(run.id, 'q=99'));
    expect((await read(`serverId=${first()}&stepKey=step-1&stream=stderr`)).map(({ text }) => text)).toEqual(['two']);
  });

  it('is not found by another tenant', async () => {
    const run = await lab.run(['echo hello']);
    const stranger = await lab.runward.tenant();
    for (const accept of ['text/plain', 'application/x-ndjson'])
      expect((await stranger.api.get(`/api/executions/${run.id}/output`, { accept })).status).toBe(404);
  });
});

/** Parts of terminal sequences, complete and cut off, and bytes that are no text. */
const HOSTILE = [
  ...[
    '\u001b[',
    '\u001b[31m',
    '\u001b[38;5;',
    '\u001b[2J',
    '\u001b]0;title\u0007',
    '\u001b]8;;http://x',
    '\u001bP1;1|',
    '\u001b',
  ],
  ...[
    '\u009b31m',
    '\u0000',
    '\u0007',
    '\b',
    '\r',
    '\r\r\r',
    '\u202e',
    '\u2066',
    '\u200b',
    '\ufeff',
    '\u2028',
    '\u0085',
  ],
  ...[
    '<script>alert(1)</script>',
    '&amp;',
    'data: x',
    'event: y',
    '"}',
    '\\u0000',
    '\u{1f680}',
    'e\u0301',
    'שלום',
    'x',
    ' ',
  ],
].map((text) => Buffer.from(text));
// UTF-8 of a lone surrogate, overlong, cut off, and never valid.
const INVALID = ['eda080', 'edbfbf', 'c080', 'e282', 'f09f9a', 'f8888080', 'ff', '80'].map((hex) =>
  Buffer.from(hex, 'hex'),
);

const makeHostileLine = (random: SeededRandom): Buffer =>
  Buffer.concat([
    ...Array.from({ length: 1 + random.int(8) }, () => random.pick([...HOSTILE, ...INVALID])),
    Buffer.from('|\n'),
  ]);

/** Parts of a line are decoded separately: the number of replacement characters may differ. */
const decode = (text: string): string => text.replaceAll(/\ufffd+/g, '\ufffd');

describe('hostile output', () => {
  it('of 5,000 sequences is stored as written, and returned as text by every route', async () => {
    const random = seededRandom(35);
    const lines = Array.from({ length: 5_000 }, () => makeHostileLine(random));
    await writeFile(`${lab.evidence}/hostile`, Buffer.concat(lines));
    const run = await lab.run([`cat ${lab.evidence}/hostile`], { targets: 'name=web-1' });
    expect((await lab.results(run.id))[0]).toMatchObject({ status: 'SUCCEEDED', outputLines: 5_000, droppedBytes: 0 });
    const stored = await download(run.id, `serverId=${first()}&stepKey=step-1`);
    expect(stored.equals(Buffer.concat(lines))).toBe(true);
    const texts = lines.map((line) => decode(line.toString('utf8').slice(0, -1)));

    const parts: string[] = [];
    for (const { line, text } of await lab.lines(run.id, 'limit=5000'))
      parts[line - 1] = (parts[line - 1] ?? '') + text;
    expect(parts.map(decode)).toEqual(texts);

    const windows: string[] = [];
    while (windows.length < texts.length) {
      const query = `stepKey=step-1&serverId=${first()}&from=${windows.length + 1}&limit=2000`;
      const { body } = await lab.api.get<OutputWindowView>(`/api/executions/${run.id}/output/window?${query}`);
      windows.push(...body.blocks.flatMap((block) => block.lines));
    }
    expect(windows.map(decode)).toEqual(texts);

    const { body } = await lab.api.get<{ hits: number }>(
      `/api/executions/${run.id}/output/hits/counts?q=${encodeURIComponent('<SCRIPT>')}`,
    );
    expect(body.hits).toBe(texts.filter((text) => text.includes('<script>')).length);
  });
});

describe('a lot of output', () => {
  it('of 5 MB is stored complete and in order', async () => {
    const lines = 720_000;
    const run = await lab.run([`seq -w 1 ${lines}`], { targets: 'name=web-1' });
    const text = await download(run.id, `serverId=${first()}&stepKey=step-1`);
    expect(text.length).toBe(lines * 7);
    expect(text.length).toBeGreaterThan(4.8 * MIB);
    const expected = Array.from({ length: lines }, (_, n) => `${String(n + 1).padStart(6, '0')}\n`).join('');
    expect(text.equals(Buffer.from(expected))).toBe(true);
    expect((await lab.results(run.id))[0]).toMatchObject({
      outputLines: lines,
      outputBytes: lines * 7,
      droppedLines: 0,
      droppedBytes: 0,
    });
  });

  it('beyond the limit keeps its head and tail, and counts dropped bytes and lines exactly', async () => {
    await worker.stop();
    worker = await lab.runward.worker({ outputLimitBytes: SMALL_LIMIT });
    const lines = 100_000;
    const run = await lab.run([`seq -w 1 ${lines}`], { targets: 'name=web-1' });
    const [result] = await lab.results(run.id);
    const text = (await download(run.id, `serverId=${first()}&stepKey=step-1`)).toString();
    expect(result).toMatchObject({ status: 'SUCCEEDED', outputLines: lines, outputBytes: lines * 7 });
    expect(text.length).toBeLessThanOrEqual(SMALL_LIMIT);
    expect(text.length).toBeGreaterThan(SMALL_LIMIT - 1000);
    expect((result?.droppedBytes ?? 0) + text.length).toBe(lines * 7);
    expect(text.startsWith('000001\n000002\n')).toBe(true);
    expect(text.endsWith('099999\n100000\n')).toBe(true);
    const numbers = new Set((await lab.lines(run.id, 'limit=5000')).map(({ line }) => line));
    expect((result?.droppedLines ?? 0) + numbers.size).toBe(lines);
    expect(numbers.has(lines)).toBe(true);
    const last = (await lab.lines(run.id, 'q=099999'))[0];
    expect(last).toMatchObject({ line: 99_999, text: '099999' });
  });

  it('of one line of 20 MB, cut by the limit within a sequence, names the limit', async () => {
    const line = Buffer.from(`${'\u001b[38;5;1m\u202e\u{1f680}'.repeat(1_200_000).slice(0, 20_000_000)}\n`);
    await writeFile(`${lab.evidence}/long`, line);
    const run = await lab.run([`cat ${lab.evidence}/long; echo after`], { targets: 'name=web-1' });
    const [result] = await lab.results(run.id);
    const stored = await download(run.id, `serverId=${first()}&stepKey=step-1`);
    expect(stored.length).toBeLessThanOrEqual(SMALL_LIMIT);
    expect(result).toMatchObject({ status: 'SUCCEEDED', outputBytes: line.length + 6, droppedAfterLine: 1 });
    expect((result?.droppedBytes ?? 0) + stored.length).toBe(line.length + 6);
    const { body } = await lab.api.get<OutputWindowView>(
      `/api/executions/${run.id}/output/window?stepKey=step-1&serverId=${first()}&tail=10`,
    );
    expect(body.blocks.map(({ line, truncated }) => [line, truncated])).toEqual([
      [1, [0]],
      [2, [0]],
      [3, undefined],
    ]);
    expect(body.blocks[1]).toMatchObject({ continues: true, dropped: { lines: 0, bytes: result?.droppedBytes } });
  });

  it('waits on the host, not in memory, while the database stores nothing, and is complete in the end', async () => {
    await worker.stop();
    worker = await lab.runward.worker({ outputLimitBytes: 32 * MIB });
    const rounds = 200;
    const block = 'head -c 100000 /dev/zero | tr "\\0" x | fold -w 99; echo';
    const file = (name: string) => `${lab.evidence}/${name}`;
    const { id } = await lab.start(
      await lab.plan(
        [
          `until [ -e ${file('flood')} ]; do sleep 0.05; done; i=0; while [ $i -lt ${rounds} ]; do ${block}; i=$((i+1)); echo $i > ${file('rounds')}; done`,
        ],
        { targets: 'name=web-1' },
      ),
    );
    await eventually('the command runs', async () => (await lab.results(id))[0]?.status === 'RUNNING');
    const { database } = lab.runward;
    await database.query('begin; lock table output_chunks in access exclusive mode');
    try {
      await writeFile(file('flood'), '');
      const written = async () => Number(await lab.left('rounds'));
      await eventually('it prints', async () => (await written()) > 0);
      expect(await untilUnchanged('the command is blocked', written)).toBeLessThan(rounds / 2);
    } finally {
      await database.query('commit');
    }
    expect((await lab.settled(id)).status).toBe('SUCCEEDED');
    expect((await lab.results(id))[0]).toMatchObject({
      outputLines: 1011 * rounds,
      outputBytes: 101_011 * rounds,
      droppedBytes: 0,
    });
  });
});
