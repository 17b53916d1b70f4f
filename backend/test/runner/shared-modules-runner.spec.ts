import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const BACKEND = resolve(import.meta.dirname, '../..');
const JEST = resolve(BACKEND, '../node_modules/jest/bin/jest.js');

interface Report {
  success: boolean;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'runward-runner-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function reportOf(...samples: string[]): Promise<{ code: number; report: Report }> {
  const output = join(folder, `${samples.join('-')}.json`);
  const config = {
    rootDir: BACKEND,
    testMatch: samples.map((sample) => `**/runner/samples/${sample}.sample.ts`),
    runner: '<rootDir>/test/runner/shared-modules-runner.mjs',
  };
  const args = [JEST, '--config', JSON.stringify(config), '-i', '--json', '--outputFile', output];
  const code = await new Promise<number>((done) => {
    execFile(process.execPath, args, { cwd: BACKEND }, (error) => done(Number(error?.code ?? 0)));
  });
  return { code, report: JSON.parse(await readFile(output, 'utf8')) as Report };
}

describe('the runner of the back-end tests', () => {
  it('reports passed and failed tests, timeouts and failed set-ups', async () => {
    const { code, report } = await reportOf('assertions');
    expect(code).toBe(1);
    const [file] = report.testResults;
    expect(file?.assertionResults.map(({ fullName, status }) => [fullName, status])).toEqual([
      ['passes', 'passed'],
      ['fails', 'failed'],
      ['takes longer than its deadline', 'failed'],
      ['whose set-up fails never runs', 'failed'],
    ]);
    const messages = file?.assertionResults.map(({ failureMessages }) => failureMessages.join('\n'));
    expect(messages?.[1]).toMatch(/what was expected[^]*assertions\.sample\.ts:8:/);
    expect(messages?.[2]).toContain('Exceeded timeout of 50 ms');
    expect(messages?.[3]).toContain('no set-up');
  });

  it.each([
    ['rejection', 'unhandled rejection in a sample'],
    ['import', 'not-there.js'],
    ['exit', 'exitCode=0'],
    ['empty', 'must contain at least one test'],
  ])('fails a file by %s', async (sample, message) => {
    const { code, report } = await reportOf(sample);
    expect(code).toBe(1);
    expect(report.success).toBe(false);
    expect(report.testResults.map(({ status }) => status)).toEqual(['failed']);
    expect(report.testResults[0]?.message).toContain(message);
  });

  it('gives each file the initial environment variables', async () => {
    const { report } = await reportOf('environment-set', 'environment-unset');
    expect(report.testResults.map(({ status }) => status)).toEqual(['passed', 'passed']);
  });

  it('keeps fake timers away from the clock of code of other files', async () => {
    const { report } = await reportOf('fake-timers');
    expect(report.testResults.map(({ status }) => status)).toEqual(['passed']);
  });
});
