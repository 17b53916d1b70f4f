import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RunLab, startRunLab } from '../../../../test/support/run-lab.js';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { type StoredLine, storeRandomOutput } from '../../../../test/support/stored-output.js';
import type { OutputHitCountsView, OutputHitsView, OutputHitView } from '../../contract/output-hits.view.js';

let lab: RunLab;
beforeAll(async () => {
  lab = await startRunLab({ hosts: 3 });
  await lab.runward.worker();
});
afterAll(() => lab.close());

/** Reads all pages. */
async function readPages<View extends { nextAfter: string | null }>(address: string): Promise<View[]> {
  const pages: View[] = [];
  for (let after: string | null = ''; after !== null; ) {
    const { status, body }: { status: number; body: View } = await lab.api.get<View>(
      `${address}${after === '' ? '' : `&after=${after}`}`,
    );
    expect([address, status]).toEqual([address, 200]);
    pages.push(body);
    after = body.nextAfter;
  }
  return pages;
}

const readHits = async (id: string, query: string): Promise<OutputHitView[]> =>
  (await readPages<OutputHitsView>(`/api/executions/${id}/output/hits?${query}`)).flatMap(({ items }) => items);

const readCounts = (id: string, query: string) =>
  readPages<OutputHitCountsView>(`/api/executions/${id}/output/hits/counts?${query}`);

const placeOf = ({ step, host, stream, line, position }: StoredLine) => ({
  ...{ stepKey: step, serverId: host, stream, line, position },
});

describe('a search of random output', () => {
  const WORDS = ['alpha', 'Beta', 'gamma'];
  let id: string;
  let all: StoredLine[];
  beforeAll(async () => {
    const random = seededRandom(11);
    ({ id, lines: all } = await storeRandomOutput(lab, random, { makeText: () => `${WORDS[random.int(3)]} ` }));
  });
  const matching = () => all.filter(({ text }) => text.toLowerCase().includes('beta'));

  it('finds each line with its place in the output of the host and of the run, in pages of any size', async () => {
    expect(matching().length).toBeGreaterThan(20);
    const byPosition = (hits: OutputHitView[]) => [...hits].sort((a, b) => a.position - b.position);
    for (const limit of [1, 7, 200]) {
      const hits = byPosition(await readHits(id, `q=bETA&limit=${limit}`));
      const once = hits.filter(({ position }, index) => position !== hits[index - 1]?.position);
      expect(once).toEqual(matching().map((line) => expect.objectContaining(placeOf(line))));
    }
  });

  it.each([
    ['q=Beta&matchCase=true', /Beta/],
    ['q=beta&matchCase=true', /beta/],
    ['q=(alph|gamm)a%2B&regex=true', /(alph|gamm)a+/i],
    ['q=b(e|x)ta&regex=true', /b(e|x)ta/i],
    ['q=B(e|x)ta&regex=true&matchCase=true', /B(e|x)ta/],
    ['q=b(e|x)ta&regex=true&matchCase=true', /b(e|x)ta/],
    ['q=a%20*$&regex=true&stream=stderr', /a *$/i],
  ])('finds the lines of %s', async (query, pattern) => {
    const lines = all.filter(
      ({ text, stream }) => pattern.test(text) && (!query.includes('stderr') || stream === 'stderr'),
    );
    const hits = await readHits(id, `${query}&limit=200`);
    expect(new Set(hits.map(({ position }) => position))).toEqual(new Set(lines.map(({ position }) => position)));
    const isRegex = query.includes('regex');
    for (const { match } of hits)
      expect(match ?? '').toMatch(isRegex ? new RegExp(`^(${pattern.source})$`, 'i') : /^$/);
    const counts = await readCounts(id, query);
    expect(counts.reduce((sum, each) => sum + each.hits, 0)).toBe(lines.length);
  });

  it('names the error of a pattern and its position', async () => {
    for (const route of ['hits', 'hits/counts']) {
      const { status, body } = await lab.api.get<{ errors: object[] }>(
        `/api/executions/${id}/output/${route}?regex=true&q=ab%5B`,
      );
      expect([status, body.errors]).toEqual([
        400,
        [
          {
            path: '?q',
            code: 'invalid_value',
            message: 'q is not a valid regular expression: missing closing ] [, at character 3.',
          },
        ],
      ]);
    }
  });

  it('returns the lines around each hit on its host in its step, in both streams', async () => {
    for (const context of [0, 1, 5]) {
      for (const hit of await readHits(id, `q=beta&context=${context}&limit=200`)) {
        const around = (from: number, to: number) =>
          all
            .filter(
              ({ step, host, line }) => step === hit.stepKey && host === hit.serverId && line >= from && line <= to,
            )
            .sort((a, b) => a.line - b.line)
            .map(({ line, stream }) => ({ line, stream }));
        expect(hit.before).toMatchObject(around(hit.line - context, hit.line - 1));
        expect(hit.after).toMatchObject(around(hit.line + 1, hit.line + context));
        expect(hit.before).toHaveLength(around(hit.line - context, hit.line - 1).length);
      }
    }
  });

  it('counts the hits of each host in each step', async () => {
    const [counts, ...more] = await readCounts(id, 'q=beta');
    expect(more).toEqual([]);
    expect(counts).toMatchObject({ hits: matching().length, nextAfter: null, readPercent: 100 });
    for (const { stepKey, serverId, hits } of counts?.items ?? [])
      expect(matching().filter(({ step, host }) => step === stepKey && host === serverId)).toHaveLength(hits);
    expect(counts?.items.reduce((sum, { hits }) => sum + hits, 0)).toBe(matching().length);
  });

  it('is restricted to a step, a host and a stream', async () => {
    const host = lab.servers[1]?.id ?? '';
    const selected = matching().filter(
      ({ step, stream, host: own }) => step === 'two' && own === host && stream === 'stdout',
    );
    const query = `q=beta&stepKey=two&serverId=${host}&stream=stdout`;
    expect(selected.length).toBeGreaterThan(0);
    expect((await readCounts(id, query))[0]?.hits).toBe(selected.length);
    expect(await readHits(id, query)).toMatchObject(selected.map(placeOf));
  });
});

describe('a search', () => {
  it('reports faults of its text', async () => {
    const run = await lab.run(['echo one']);
    for (const [query, message] of [
      ['', /"q" is required/],
      ['q=', /q must not be empty/],
      ['q=one%0Atwo', /q must not contain line breaks/],
      [`q=${'x'.repeat(201)}`, /q can have at most 200 characters/],
      ['q=x&context=6', /context/],
      ['q=x&limit=201', /limit/],
      ['q=x&after=nonsense', /after must be nextAfter/],
    ] as const) {
      const { status, body } = await lab.api.get(`/api/executions/${run.id}/output/hits?${query}`);
      expect([query, status, body]).toMatchObject([
        query,
        400,
        { errors: expect.arrayContaining([expect.objectContaining({ message: expect.stringMatching(message) })]) },
      ]);
    }
  });

  it('finds a long line once, and returns the part around the match', async () => {
    const run = await lab.run([`head -c 100000 /dev/zero | tr '\\0' y; echo ' Needle and needle'; echo after`], {
      targets: 'name=web-1',
    });
    const [hit, ...more] = await readHits(run.id, 'q=needle');
    expect(more).toEqual([]);
    expect(hit).toMatchObject({ line: 1, position: 1, truncated: true, after: [{ line: 2, text: 'after' }] });
    expect(hit?.text.length).toBeLessThanOrEqual(1_000);
    expect(hit?.text).toContain('Needle and needle');
    const [found] = await readHits(run.id, 'q=N%5Cw%2B AND&regex=true');
    expect(found?.text).toContain('Needle and needle');
    expect(found?.match).toBe('Needle and');
    // The line was stored in parts that all match.
    expect(await readHits(run.id, 'q=yyy')).toHaveLength(1);
    expect((await readCounts(run.id, 'q=yyy'))[0]?.hits).toBe(1);
  });

  it('of more output than one request scans returns parts that add up', async () => {
    const run = await lab.run(['echo needle'], { targets: 'name=web-1' });
    await lab.runward.database.query(
      `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
        select $1, $2, 10 + n, 0, $3, 1, 10 + n, 1, false, false, now(),
            convert_to(case when n % 1000 = 0 then 'needle ' else '' end || repeat('x', 16370) || chr(10), 'UTF8')
          from generate_series(1, 4500) n`,
      [lab.admin.tenantId, run.id, lab.servers[0]?.id],
    );
    const counts = await readCounts(run.id, 'q=needle');
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.map(({ readPercent }) => readPercent === 100)).toEqual(counts.map((_, n) => n === counts.length - 1));
    expect(counts.reduce((sum, { hits }) => sum + hits, 0)).toBe(5);
    expect((await readHits(run.id, 'q=needle&limit=2')).map(({ line }) => line)).toEqual([1, 1010, 2010, 3010, 4010]);
  });
});
