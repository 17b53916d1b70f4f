import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { GitError } from './git-error.js';
import { MAX_PATH_COMMITS, readPathCommits } from './path-commits.js';

let folder: string;
let git: (args: readonly string[]) => Promise<Buffer>;

const history = (branch: string, count: number): string =>
  Array.from({ length: count }, (_, index) => {
    const person = `<author-${index + 1}@example.test> ${1_700_000_000 + index} +0000`;
    const content = `true # ${index + 1}\n`;
    return [
      ...[`commit refs/heads/${branch}`, `author Author ${person}`, `committer Author ${person}`],
      ...['data 1', 'x', 'M 100644 inline a.sh', `data ${content.length}`, content],
    ].join('\n');
  }).join('');

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'runward-commits-'));
  const run = (args: readonly string[], input?: string) => execFileSync('git', ['-C', folder, ...args], { input });
  git = async (args) => run(args);
  run(['init', '-q', '--bare', '.']);
  run(['fast-import', '--quiet'], history('long', MAX_PATH_COMMITS + 1));
  run(['fast-import', '--quiet'], history('other', 2));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const commitOf = async (name: string) => (await git(['rev-parse', name])).toString().trim();
const emails = ({ commits }: Awaited<ReturnType<typeof readPathCommits>>) =>
  commits.flatMap(({ people }) => people.map(({ email }) => email));

describe('readPathCommits', () => {
  it('reads the newest commits up to its limit and reports that there are more', async () => {
    const found = await readPathCommits(git, { commit: await commitOf('long'), since: null, paths: ['a.sh'] });
    expect(found.fault).toBe('more');
    expect(found.commits).toHaveLength(MAX_PATH_COMMITS);
    expect(emails(found)).toContain(`author-${MAX_PATH_COMMITS + 1}@example.test`);
    expect(emails(found)).not.toContain('author-1@example.test');
  });

  it.each([
    ['every commit of a history at its limit', 'long~1', null, MAX_PATH_COMMITS],
    ['only commits after the earlier one', 'long', 'long~3', 3],
    ['none where nothing changed', 'long', 'long', 0],
  ])('reads %s without a fault', async (_, commit, since, count) => {
    const range = { commit: await commitOf(commit), since: since && (await commitOf(since)), paths: ['a.sh'] };
    const found = await readPathCommits(git, range);
    expect([found.commits.length, found.fault]).toEqual([count, null]);
  });

  it('leaves out commits of other files', async () => {
    const found = await readPathCommits(git, { commit: await commitOf('long'), since: null, paths: ['b.sh'] });
    expect(found).toEqual({ commits: [], fault: null });
  });

  it('reports a history that does not contain the earlier commit as rewritten', async () => {
    const range = { commit: await commitOf('other'), since: await commitOf('long'), paths: ['a.sh'] };
    const found = await readPathCommits(git, range);
    expect([found.commits.length, found.fault]).toEqual([2, 'rewritten']);
  });

  it.each([
    ['timed_out', 'timed_out'],
    ['too_large', 'unavailable'],
    ['failed', 'unavailable'],
  ] as const)('reports %s of git as authors that are not known', async (code, fault) => {
    const failing = () => Promise.reject(new GitError(code, 'injected'));
    const found = await readPathCommits(failing, { commit: 'a'.repeat(40), since: null, paths: ['a.sh'] });
    expect(found).toEqual({ commits: [], fault });
  });
});
