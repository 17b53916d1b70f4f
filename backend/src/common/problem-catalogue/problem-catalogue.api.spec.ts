import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Installation, startInstallation } from '../../../test/support/installation.js';
import { FAULT_CODES } from '../errors/fault-codes.js';
import { PROBLEM_CODES } from '../errors/problem-codes.js';
import { REASON_CODES } from '../errors/reason-codes.js';
import type { ProblemCatalogueView } from './problem-catalogue.view.js';

const SOURCES = join(import.meta.dirname, '../..');
const REGISTRIES = /errors[/\\](?:problem-codes|fault-codes|reasons[/\\].*)\.ts$/;

/** Source code of the product, except the registries of codes. */
const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !REGISTRIES.test(name))
  .map((name) => readFileSync(join(SOURCES, name), 'utf8'))
  .join('\n');

let runward: Installation;

beforeAll(async () => {
  runward = await startInstallation();
});
afterAll(() => runward.close());

describe('the registry of codes', () => {
  // The compiler already finds missing codes.
  it.each([
    ['problems', Object.keys(PROBLEM_CODES)],
    ['faults', Object.keys(FAULT_CODES)],
  ])('has no unused %s', (_, codes) => {
    expect(codes.filter((code) => !sources.includes(`'${code}'`))).toEqual([]);
  });

  it('contains every code that a route description quotes in backticks', () => {
    const named = [...sources.matchAll(/\b[45][0-9]{2} `([a-z_]+)`/g)].map(([, code = '']) => code);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((code) => ![PROBLEM_CODES, FAULT_CODES, REASON_CODES].some((codes) => code in codes))).toEqual(
      [],
    );
  });
});

describe('the catalogue of problems', () => {
  it('is a page without scripts, with an anchor for every code', async () => {
    const { status, headers, text } = await runward.anonymous.get('/api/docs/problems', { accept: 'text/html' });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('vary')).toContain('Accept');
    for (const code of Object.keys(PROBLEM_CODES)) expect(text).toContain(`id="${code}"`);
    for (const code of Object.keys({ ...FAULT_CODES, ...REASON_CODES })) expect(text).toContain(`<code>${code}</code>`);
    expect(text).not.toMatch(/<script/i);
  });

  it('is JSON for programs, with meaning and advice for each problem', async () => {
    const { body } = await runward.anonymous.get<ProblemCatalogueView>('/api/docs/problems', {
      accept: 'application/json',
    });
    expect(body.problems.map(({ code }) => code).sort()).toEqual(Object.keys(PROBLEM_CODES).sort());
    expect(body.faults.map(({ code }) => code).sort()).toEqual(Object.keys(FAULT_CODES).sort());
    expect(body.reasons.map(({ code }) => code).sort()).toEqual(Object.keys(REASON_CODES).sort());
    for (const { code, title, meaning, advice } of body.problems)
      expect([code, title, meaning, advice]).toEqual(Array(4).fill(expect.stringMatching(/\S/)));
  });

  it("is the target of a problem's type", async () => {
    const { body } = await runward.anonymous.get<{ type: string; code: string; title: string }>('/api/plans');
    const address = new URL(body.type, runward.url);
    const page = await runward.anonymous.get(address.pathname, { accept: 'text/html' });
    expect(page.status).toBe(200);
    expect(page.text).toContain(`id="${address.hash.slice(1)}"`);
    expect(address.hash).toBe(`#${body.code}`);
  });
});
