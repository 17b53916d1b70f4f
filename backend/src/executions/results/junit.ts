import type { HostResultView } from '../contract/results.view.js';
import { isHostFinished, type StepStatus } from '../lifecycle/statuses.js';

/** What a result counts as: JUnit knows failures of what was tested, errors of the way there, and what was not tested. */
export type JunitOutcome = 'passed' | 'failure' | 'error' | 'skipped';

/** A step and the results in it. */
export interface JunitSuite {
  key: string;
  name: string;
  status: StepStatus;
  /** Why it has that status; null: nothing to tell. */
  reason: string | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  counts: Record<JunitOutcome, number>;
}

type Judged = Pick<HostResultView, 'status' | 'verdict'>;

/** Of a dry run, what it predicts counts. */
export function junitOutcome({ status, verdict }: Judged): JunitOutcome {
  if (verdict === 'BLOCKED') return 'failure';
  if (verdict === 'CANNOT_PREDICT' || verdict === 'WOULD_SKIP') return 'skipped';
  if (verdict !== null) return 'passed';
  if (!isHostFinished(status) || status === 'SKIPPED' || status === 'CANCELLED') return 'skipped';
  if (status === 'SUCCEEDED') return 'passed';
  return status === 'FAILED' || status === 'TIMED_OUT' ? 'failure' : 'error';
}

/** A step without results of hosts, such as a gate or one that was never come to. */
const outcomeOfStep = (status: StepStatus): JunitOutcome =>
  status === 'SUCCEEDED' ? 'passed' : status === 'FAILED' ? 'failure' : 'skipped';

export const noCounts = (): JunitSuite['counts'] => ({ passed: 0, failure: 0, error: 0, skipped: 0 });

const testsOf = ({ passed, failure, error, skipped }: JunitSuite['counts']): number =>
  passed + failure + error + skipped;

/** What XML 1.0 can't hold, not even escaped. */
const NO_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const ESCAPED: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

const xmlText = (text: string): string => text.replace(NO_XML, '\u{fffd}').replace(/[&<>\r]/g, (c) => ESCAPED[c] ?? c);
const attribute = (text: string): string =>
  text.replace(NO_XML, '\u{fffd}').replace(/[&<>"\n\r\t]/g, (c) => ESCAPED[c] ?? c);

const attributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${attribute(String(value))}"`)
    .join('');

const seconds = (from: Date | null, to: Date | null): string =>
  from && to ? Math.max(0, (to.getTime() - from.getTime()) / 1000).toFixed(3) : '0';

const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** The suites as the report counts them: one that has no results counts as one test. */
export const countedSuites = (suites: readonly JunitSuite[]): JunitSuite[] =>
  suites.map((suite) =>
    testsOf(suite.counts) > 0 ? suite : { ...suite, counts: { ...noCounts(), [outcomeOfStep(suite.status)]: 1 } },
  );

/** The beginning of the report. @param suites counted */
export function junitHead(
  name: string,
  startedAt: Date | null,
  finishedAt: Date | null,
  suites: readonly JunitSuite[],
): string {
  const sum = (outcome: JunitOutcome) => suites.reduce((total, { counts }) => total + counts[outcome], 0);
  const tests = suites.reduce((total, { counts }) => total + testsOf(counts), 0);
  const values = { name, tests, failures: sum('failure'), errors: sum('error'), skipped: sum('skipped') };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributes({ ...values, time: seconds(startedAt, finishedAt) })}>\n`;
}

export const JUNIT_END = '</testsuites>\n';

/** The beginning of a suite; of one without results, all of it but its end. @param suite counted */
export function suiteHead(suite: JunitSuite, plan: string, empty: boolean): string {
  const { failure, error, skipped } = suite.counts;
  const head = `  <testsuite${attributes({
    name: suite.key,
    tests: testsOf(suite.counts),
    failures: failure,
    errors: error,
    skipped,
    time: seconds(suite.startedAt, suite.finishedAt),
    ...(suite.startedAt ? { timestamp: suite.startedAt.toISOString() } : {}),
  })}>\n`;
  if (!empty) return head;
  const open = `    <testcase${attributes({ classname: `${plan}.${suite.key}`, name: suite.name, time: '0' })}`;
  if (outcomeOfStep(suite.status) === 'passed') return `${head}${open}/>\n`;
  return `${head}${open}><skipped${attributes({ message: suite.reason ?? `The step is ${suite.status}.` })}/></testcase>\n`;
}

export const SUITE_END = '  </testsuite>\n';

/** One result. @param lastLines the end of its output, for one that went wrong */
export function testCase(result: HostResultView, plan: string, lastLines: readonly string[]): string {
  const { stepKey, serverName, status, verdict, exitCode, signal, message } = result;
  const time = seconds(dateOf(result.startedAt), dateOf(result.finishedAt));
  const open = `    <testcase${attributes({ classname: `${plan}.${stepKey}`, name: serverName, time })}`;
  const outcome = junitOutcome(result);
  const ended = signal ? `signal ${signal}` : exitCode === null ? status : `exit code ${exitCode}`;
  const told = message ?? verdict ?? ended;
  if (outcome === 'passed') {
    const about = verdict === null ? null : [verdict, message].filter((text) => text !== null).join(': ');
    return about === null ? `${open}/>\n` : `${open}><system-out>${xmlText(about)}</system-out></testcase>\n`;
  }
  if (outcome === 'skipped') return `${open}><skipped${attributes({ message: told })}/></testcase>\n`;
  const values = attributes({ message: told, type: result.code ?? verdict ?? status });
  return `${open}><${outcome}${values}>${xmlText(lastLines.join('\n'))}</${outcome}></testcase>\n`;
}
