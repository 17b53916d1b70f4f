import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../test/support/run-lab.js';
import type { ExecutionView } from '../contract/execution.view.js';
import type { OutputLineView, OutputView } from '../contract/results.view.js';

let lab: RunLab;

beforeAll(async () => {
  lab = await startRunLab({ hosts: 2 });
  await lab.runward.worker();
});
afterAll(() => lab.close());

const page = async (id: string, query: string) =>
  (await lab.api.get<OutputView>(`/api/executions/${id}/output?${query}`)).body;

async function pages(id: string, query: string): Promise<OutputView[]> {
  const answers = [await page(id, query)];
  for (let after = answers[0]?.nextAfter; after; after = answers.at(-1)?.nextAfter) {
    answers.push(await page(id, `${query}&after=${after}`));
  }
  return answers;
}

const texts = (answers: OutputView[]) => answers.flatMap(({ items }) => items.map(({ text }) => text));

interface Stored {
  data: string;
  host?: number;
  stream?: 1 | 2;
  line?: number;
  lines?: number;
  continues?: boolean;
  open?: boolean;
}

async function store(id: string, chunks: Stored[]): Promise<void> {
  for (const { data, host = 0, stream = 1, line = 1, lines = 1, continues = false, open = false } of chunks) {
    await lab.runward.database.query(
      `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
        select $1, $2, coalesce(max(seq), 0) + 1, 0, $3, $4, $5, $6, $7, $8, now(), $9 from output_chunks where execution_id = $2`,
      [lab.admin.tenantId, id, lab.servers[host]?.id, stream, line, lines, continues, open, Buffer.from(data)],
    );
  }
}

const storeMany = (id: string, count: number): Promise<unknown[]> =>
  lab.runward.database.query(
    `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
      select $1, $2, m.last + n, 0, $3, 1, 1000 + n, 1, false, false, now(), convert_to(repeat('x', 16383) || chr(10), 'UTF8')
      from (select coalesce(max(seq), 0) as last from output_chunks where execution_id = $2) m, generate_series(1, $4::int) n`,
    [lab.admin.tenantId, id, lab.servers[0]?.id, count],
  );

describe('a search through more output than one request scans', () => {
  let run: ExecutionView;
  beforeAll(async () => {
    run = await lab.run(['echo Needle first']);
    await storeMany(run.id, 4_500);
    await store(run.id, [{ data: 'a needle at the end\n', host: 1 }]);
  });

  it('returns a partial result with its progress, and continues from there', async () => {
    const answers = await pages(run.id, 'q=needle');
    expect(answers.length).toBeGreaterThan(1);
    expect(texts(answers).sort()).toEqual(['Needle first', 'Needle first', 'a needle at the end']);
    const percents = answers.map(({ readPercent }) => readPercent);
    expect(percents).toEqual([...percents].sort((a, b) => a - b));
    expect(percents.filter((percent) => percent === 100)).toHaveLength(1);
    expect(answers.map(({ nextAfter }) => nextAfter === null)).toEqual(percents.map((percent) => percent === 100));
  });

  it('may find nothing in a part, and is complete only at the end', async () => {
    const answers = await pages(run.id, 'q=nowhere');
    expect(answers.length).toBeGreaterThan(1);
    expect(texts(answers)).toEqual([]);
  });

  it('is written whole in a download', async () => {
    const { text } = await lab.api.get(`/api/executions/${run.id}/output?q=NEEDLE`, { accept: 'text/plain' });
    expect(text.trim().split('\n').sort()).toEqual([
      'web-1 step-1 1: Needle first',
      'web-2 step-1 1: Needle first',
      'web-2 step-1 1: a needle at the end',
    ]);
  });
});

describe('very long lines', () => {
  it('are returned in smaller pages, each of them once', async () => {
    const run = await lab.run(['true']);
    await storeMany(run.id, 300);
    for (const query of ['q=xx&limit=5000', 'limit=5000']) {
      const answers = await pages(run.id, query);
      expect(texts(answers)).toHaveLength(300);
      for (const { items } of answers) {
        expect(items.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThan(2.1 * 1024 * 1024);
      }
    }
  });
});

describe('a filter that matches few of many chunks', () => {
  it('finds them beyond the chunks that one statement scans', async () => {
    const run = await lab.run(['true']);
    await lab.runward.database.query(
      `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
        select $1, $2, n, 0, $3, case when n in (20000, 20001, 20900) then 2 else 1 end, n, 1, false, false, now(), convert_to(n || chr(10), 'UTF8')
        from generate_series(1, 21000) n`,
      [lab.admin.tenantId, run.id, lab.servers[0]?.id],
    );
    for (const query of [
      'stream=stderr',
      'stream=stderr&limit=1',
      'stream=stderr&q=0',
      'stream=stderr&stepKey=step-1',
    ]) {
      expect(texts(await pages(run.id, query))).toEqual(['20000', '20001', '20900']);
    }
    expect(texts(await pages(run.id, `serverId=${lab.servers[1]?.id}`))).toEqual([]);
    expect(texts(await pages(run.id, `serverId=${lab.servers[0]?.id}&stepKey=step-1&q=2100`))).toEqual([
      '2100',
      '12100',
      '21000',
    ]);
  });
});

describe('a text that a host wrote in two parts', () => {
  const placed = ({ line, text, stream, serverName }: OutputLineView) => [serverName, stream, line, text];

  it('is found in the part where it ends, whatever output of other hosts is between', async () => {
    const run = await lab.run(['true']);
    await store(run.id, [
      { data: 'before\nConnec', line: 1, lines: 2, open: true },
      { data: 'ting\n', host: 1 },
      { data: 'other\n', stream: 2, line: 3 },
      { data: 'ting: done\n', line: 2, lines: 0, continues: true },
    ]);
    const found = await pages(run.id, 'q=connecting');
    expect(found.flatMap(({ items }) => items.map(placed))).toEqual([['web-1', 'stdout', 2, 'ting: done']]);
    expect(await pages(run.id, 'q=connecting&stream=stderr')).toMatchObject([{ items: [], nextAfter: null }]);
  });

  it('is not joined from the ends of different lines', async () => {
    const run = await lab.run(['true']);
    await store(run.id, [
      { data: 'Connec', line: 1, open: true },
      { data: 'ting\n', line: 9, lines: 0, continues: true },
      { data: 'Connec\n', line: 10 },
      { data: 'ting\n', line: 11 },
    ]);
    expect(texts(await pages(run.id, 'q=connecting'))).toEqual([]);
    expect(texts(await pages(run.id, 'q=ting'))).toEqual(['ting', 'ting']);
  });
});

describe('hostile output', () => {
  it('is searched in the form in which it is displayed', async () => {
    const run = await lab.run(['true']);
    const bytes = (text: string) => Buffer.from(text, 'latin1').toString('hex');
    await lab.runward.database.query(
      `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
        select $1, $2, 1, 0, $3, 1, 1, 3, false, false, now(), decode($4, 'hex')`,
      [
        lab.admin.tenantId,
        run.id,
        lab.servers[0]?.id,
        bytes('a\0\xff\xfeERROR\\n\n\xe2\x84\xaaelvin\n100%_\x1b[31m\n'),
      ],
    );
    const found = async (q: string) => texts(await pages(run.id, `q=${encodeURIComponent(q)}`)).length;
    expect(await found('error\\n')).toBe(1);
    expect(await found('kelvin')).toBe(1);
    expect(await found('\ufffderror')).toBe(1);
    expect(await found('%_\x1b[')).toBe(1);
    expect(await found('377')).toBe(0);
    expect(await found('%%')).toBe(0);
  });
});
