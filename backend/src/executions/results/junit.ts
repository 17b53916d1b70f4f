import type { HostResultView } from '../contract/results.view.js';
import { isHostFinished, type StepStatus } from '../lifecycle/statuses.js';

/**
 * JUnit outcome. `failure`: the command failed. `error`: something failed before or around the command. `skipped`: not
 * run.
 */
export type JunitOutcome = 'passed' | 'failure' | 'error' | 'skipped';

export interface JunitSuite {
  key: string;
  name: string;
  status: StepStatus;
  reason: string | null;
  startedAt: Date | null;
  finishedAt: Date | null;
  counts: Record<JunitOutcome, number>;
}

type JudgedResult = Pick<HostResultView, 'status' | 'verdict'>;

export function toJunitOutcome({ status, verdict }: JudgedResult): JunitOutcome {
  if (verdict === 'BLOCKED') return 'failure';
  if (verdict === 'CANNOT_PREDICT' || verdict === 'WOULD_SKIP') return 'skipped';
  if (verdict !== null) return 'passed';
  if (!isHostFinished(status) || status === 'SKIPPED' || status === 'CANCELLED') return 'skipped';
  if (status === 'SUCCEEDED') return 'passed';
  return status === 'FAILED' || status === 'TIMED_OUT' ? 'failure' : 'error';
}

/** Returns the outcome of a step without host results, such as a gate or a step that was not reached. */
const stepToJunitOutcome = (status: StepStatus): JunitOutcome =>
  status === 'SUCCEEDED' ? 'passed' : status === 'FAILED' ? 'failure' : 'skipped';

export const createZeroCounts = (): JunitSuite['counts'] => ({ passed: 0, failure: 0, error: 0, skipped: 0 });

const countTests = ({ passed, failure, error, skipped }: JunitSuite['counts']): number =>
  passed + failure + error + skipped;

/** Characters that XML 1.0 cannot contain, not even escaped. */
const INVALID_XML_CHARACTERS = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;
const XML_ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\r': '&#13;',
  '\t': '&#9;',
};

const escapeXmlText = (text: string): string =>
  text.replace(INVALID_XML_CHARACTERS, '\u{fffd}').replace(/[&<>\r]/g, (c) => XML_ESCAPES[c] ?? c);
const escapeXmlAttribute = (text: string): string =>
  text.replace(INVALID_XML_CHARACTERS, '\u{fffd}').replace(/[&<>"\n\r\t]/g, (c) => XML_ESCAPES[c] ?? c);

const renderAttributes = (values: Record<string, string | number>): string =>
  Object.entries(values)
    .map(([name, value]) => ` ${name}="${escapeXmlAttribute(String(value))}"`)
    .join('');

const formatSeconds = (from: Date | null, to: Date | null): string =>
  from && to ? Math.max(0, (to.getTime() - from.getTime()) / 1000).toFixed(3) : '0';

const parseDate = (text: string | null): Date | null => (text === null ? null : new Date(text));

/** Returns the suites with the counts of the report, in which a suite without results counts as one test. */
export const listNonEmptySuites = (suites: readonly JunitSuite[]): JunitSuite[] =>
  suites.map((suite) =>
    countTests(suite.counts) > 0
      ? suite
      : { ...suite, counts: { ...createZeroCounts(), [stepToJunitOutcome(suite.status)]: 1 } },
  );

/** @param suites result of `listNonEmptySuites` */
export function renderJunitHead(
  name: string,
  startedAt: Date | null,
  finishedAt: Date | null,
  suites: readonly JunitSuite[],
): string {
  const sum = (outcome: JunitOutcome) => suites.reduce((total, { counts }) => total + counts[outcome], 0);
  const tests = suites.reduce((total, { counts }) => total + countTests(counts), 0);
  const values = { name, tests, failures: sum('failure'), errors: sum('error'), skipped: sum('skipped') };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${renderAttributes({ ...values, time: formatSeconds(startedAt, finishedAt) })}>\n`;
}

export const JUNIT_END_TAG = '</testsuites>\n';

/**
 * Returns the start of a suite. For an empty suite, also returns its only test case.
 * @param suite result of `listNonEmptySuites`
 */
export function renderSuiteHead(suite: JunitSuite, plan: string, empty: boolean): string {
  const { failure, error, skipped } = suite.counts;
  const head = `  <testsuite${renderAttributes({
    name: suite.key,
    tests: countTests(suite.counts),
    failures: failure,
    errors: error,
    skipped,
    time: formatSeconds(suite.startedAt, suite.finishedAt),
    ...(suite.startedAt ? { timestamp: suite.startedAt.toISOString() } : {}),
  })}>\n`;
  if (!empty) return head;
  const open = `    <testcase${renderAttributes({ classname: `${plan}.${suite.key}`, name: suite.name, time: '0' })}`;
  if (stepToJunitOutcome(suite.status) === 'passed') return `${head}${open}/>\n`;
  return `${head}${open}><skipped${renderAttributes({ message: suite.reason ?? `The step is ${suite.status}.` })}/></testcase>\n`;
}

export const SUITE_END_TAG = '  </testsuite>\n';

/** @param lastLines end of the output of a failed result */
export function renderTestCase(result: HostResultView, plan: string, lastLines: readonly string[]): string {
  const { stepKey, serverName, status, verdict, exitCode, signal, message } = result;
  const time = formatSeconds(parseDate(result.startedAt), parseDate(result.finishedAt));
  const open = `    <testcase${renderAttributes({ classname: `${plan}.${stepKey}`, name: serverName, time })}`;
  const outcome = toJunitOutcome(result);
  const ended = signal ? `signal ${signal}` : exitCode === null ? status : `exit code ${exitCode}`;
  const messageText = message ?? verdict ?? ended;
  if (outcome === 'passed') {
    const verdictText = verdict === null ? null : [verdict, message].filter((text) => text !== null).join(': ');
    return verdictText === null
      ? `${open}/>\n`
      : `${open}><system-out>${escapeXmlText(verdictText)}</system-out></testcase>\n`;
  }
  if (outcome === 'skipped') return `${open}><skipped${renderAttributes({ message: messageText })}/></testcase>\n`;
  const values = renderAttributes({ message: messageText, type: result.code ?? verdict ?? status });
  return `${open}><${outcome}${values}>${escapeXmlText(lastLines.join('\n'))}</${outcome}></testcase>\n`;
}
