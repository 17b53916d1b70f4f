import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { describe, expect, it } from '@jest/globals';
import { xmlElements } from '../../../test/support/xml-elements.js';
import type { HostResultView } from '../contract/results.view.js';
import { EXECUTION_STATUSES, HOST_STATUSES, isSuccessful, VERDICTS } from '../lifecycle/statuses.js';
import {
  listNonEmptySuites,
  JUNIT_END_TAG,
  renderJunitHead,
  toJunitOutcome,
  type JunitRun,
  type JunitSuite,
  createZeroCounts,
  renderSuiteHead,
  SUITE_END_TAG,
  renderTestCase,
} from './junit.js';

const AT = '2026-03-14T02:00:00.000Z';

const result = (fields: Partial<HostResultView>): HostResultView => ({
  ...{ stepKey: 'restart', serverId: 's', serverName: 'web-1', status: 'SUCCEEDED', exitCode: 0, signal: null },
  ...{
    attempts: 1,
    startedAt: AT,
    commandStartedAt: AT,
    finishedAt: '2026-03-14T02:00:01.500Z',
    reason: null,
    changed: null,
  },
  ...{ outputs: null, verdict: null, diff: null, resolution: null, check: null },
  ...{ outputLines: 0, outputBytes: 0, droppedLines: 0, droppedBytes: 0, droppedAfterLine: null },
  ...fields,
});

const suite = (fields: Partial<JunitSuite>): JunitSuite => ({
  ...{ key: 'restart', name: 'Restart', status: 'SUCCEEDED', reason: null },
  ...{ startedAt: new Date(AT), finishedAt: new Date(AT), counts: createZeroCounts() },
  ...fields,
});

const run = (fields: Partial<JunitRun>): JunitRun => ({
  ...{ id: 'r', url: 'http://x/executions/r', digest: 'd', planName: 'plan', status: 'SUCCEEDED', reason: null },
  ...{ startedAt: new Date(AT), finishedAt: null, ...fields },
});

describe('a result in a JUnit report', () => {
  it.each(HOST_STATUSES)('maps %s to an outcome in a well-formed test case', (status) => {
    const xml = renderTestCase(result({ status }), 'plan', []);
    const [first, , host, inner] = xmlElements(xml);
    expect(first).toMatchObject({
      name: 'testcase',
      attributes: { classname: 'plan.restart', name: 'web-1', time: '1.500' },
    });
    expect(host?.attributes).toEqual({ name: 'host', value: 'web-1' });
    const outcome = toJunitOutcome({ status, verdict: null });
    expect(inner?.name ?? 'passed').toBe(outcome);
    expect(outcome === 'passed').toBe(status === 'SUCCEEDED');
  });

  it.each(VERDICTS)('fails with verdict %s only when a real run would be blocked', (verdict) => {
    const outcome = toJunitOutcome({ status: 'SUCCEEDED', verdict });
    expect(outcome === 'failure').toBe(verdict === 'BLOCKED');
    expect(
      xmlElements(renderTestCase(result({ verdict, reason: { code: 'blocked', text: 'why' } }), 'plan', [])).length,
    ).toBe(4);
  });

  it('escapes all output of hosts', () => {
    const hostileText = ']]></failure><x a="\'">&amp;\u0000\u001b[31m\ud800\uffff\r\n\t🙂';
    const xml = renderTestCase(
      result({
        ...{ status: 'FAILED', exitCode: 3, serverName: hostileText },
        reason: { code: hostileText as ReasonCode, text: hostileText },
      }),
      hostileText,
      [hostileText, 'last'],
    );
    const elements = xmlElements(xml);
    expect(elements.map(({ name }) => name)).toEqual(['testcase', 'properties', 'property', 'failure']);
    const kept = ']]></failure><x a="\'">&amp;\ufffd\ufffd[31m\ufffd\ufffd\r\n\t🙂';
    expect(elements[0]?.attributes.name).toBe(kept);
    expect(elements[3]).toMatchObject({ attributes: { message: kept, type: kept }, text: `${kept}\nlast` });
  });

  it('shows the exit code or signal if there is no message', () => {
    const message = (fields: Partial<HostResultView>) =>
      xmlElements(renderTestCase(result({ status: 'FAILED', ...fields }), 'plan', []))[3]?.attributes.message;
    expect(message({ exitCode: 3 })).toBe('exit code 3');
    expect(message({ exitCode: null, signal: 'KILL' })).toBe('signal KILL');
    expect(message({ exitCode: null })).toBe('FAILED');
  });
});

describe('a JUnit report', () => {
  it('counts a step without results as one test, which passes if the step succeeded', () => {
    const suites = listNonEmptySuites([
      suite({ counts: { passed: 2, failure: 1, error: 1, skipped: 0 } }),
      suite({ key: 'gate', name: 'Wait for QA' }),
      suite({ key: 'late', name: 'Late', status: 'SKIPPED', reason: 'It failed before.', startedAt: null }),
    ]);
    const empty = suites.slice(1).map((each) => renderSuiteHead(each, run({}), true) + SUITE_END_TAG);
    const xml = renderJunitHead(run({}), suites, false) + empty.join('') + JUNIT_END_TAG;
    const shown = xmlElements(xml).filter(({ name }) => !name.startsWith('propert'));
    expect(shown.map(({ name, attributes }) => [name, attributes.name ?? attributes.message])).toEqual([
      ['testsuites', 'plan'],
      ['testsuite', 'gate'],
      ['testcase', 'Wait for QA'],
      ['testsuite', 'late'],
      ['testcase', 'Late'],
      ['skipped', 'It failed before.'],
    ]);
    expect(shown[0]?.attributes).toEqual({ name: 'plan', tests: '6', failures: '1', errors: '1', time: '0' });
  });

  it.each(EXECUTION_STATUSES)('of a run that is %s has an error unless the run succeeded', (status) => {
    const report = run({ status, reason: null });
    const elements = xmlElements(renderJunitHead(report, [], true) + JUNIT_END_TAG);
    const properties = elements.filter(({ name }) => name === 'property').map(({ attributes }) => attributes);
    expect(properties).toEqual([
      { name: 'run', value: 'r' },
      { name: 'url', value: 'http://x/executions/r' },
      { name: 'digest', value: 'd' },
    ]);
    const errors = elements.filter(({ name }) => name === 'error').map(({ attributes }) => attributes);
    expect(errors).toEqual(isSuccessful(status) ? [] : [{ message: `The run is ${status}.`, type: status }]);
    expect(elements[0]?.attributes).toMatchObject({ tests: '1', errors: String(errors.length) });
  });
});
