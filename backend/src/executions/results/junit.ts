import type { HostResultView } from '../contract/results.view.js';
import { type ExecutionStatus, isHostFinished, isSuccessful, type StepStatus } from '../lifecycle/statuses.js';

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

export interface JunitRun {
  id: string;
  url: string;
  digest: string;
  planName: string;
  status: ExecutionStatus;
  reason: string | null;
  startedAt: Date | null;
  finishedAt: Date | null;
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

const renderProperties = (values: Record<string, string>): string =>
  `<properties>${Object.entries(values)
    .map(([name, value]) => `<property${renderAttributes({ name, value })}/>`)
    .join('')}</properties>`;

const renderRunProperties = ({ id, url, digest }: JunitRun): string =>
  `    ${renderProperties({ run: id, url, digest })}\n`;

/**
 * Returns the head of a report of a whole run or of a part of its results. The report of a whole run begins with the
 * case of the run, which fails unless the run succeeded, so that the report of a paused run is not green.
 * @param suites result of `listNonEmptySuites`
 */
export function renderJunitHead(run: JunitRun, suites: readonly JunitSuite[], whole: boolean): string {
  const sum = (outcome: JunitOutcome) => suites.reduce((total, { counts }) => total + counts[outcome], 0);
  const tests = suites.reduce((total, { counts }) => total + countTests(counts), 0);
  const time = formatSeconds(run.startedAt, run.finishedAt);
  const hasError = whole && !isSuccessful(run.status);
  const values = {
    ...{ name: run.planName, tests: tests + (whole ? 1 : 0) },
    ...{ failures: sum('failure'), errors: sum('error') + (hasError ? 1 : 0), time },
  };
  const head = `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${renderAttributes(values)}>\n`;
  if (!whole) return head;
  const counts = { tests: 1, failures: 0, errors: hasError ? 1 : 0, skipped: 0, time };
  const message = run.reason ?? `The run is ${run.status}.`;
  const error = hasError ? `<error${renderAttributes({ message, type: run.status })}/>` : '';
  return `${head}  <testsuite${renderAttributes({ name: RUN_CASE_NAME, ...counts })}>
${renderRunProperties(run)}    <testcase${renderAttributes({ classname: run.planName, name: RUN_CASE_NAME, time })}>${error}</testcase>
${SUITE_END_TAG}`;
}

/** Name of the suite and case of the run itself. */
const RUN_CASE_NAME = 'Run';

export const JUNIT_END_TAG = '</testsuites>\n';

/**
 * Returns the start of a suite. For a suite without hosts, also returns its only test case.
 * @param suite result of `listNonEmptySuites`
 */
export function renderSuiteHead(suite: JunitSuite, run: JunitRun, empty: boolean): string {
  const { failure, error, skipped } = suite.counts;
  const head = `  <testsuite${renderAttributes({
    name: suite.key,
    tests: countTests(suite.counts),
    failures: failure,
    errors: error,
    skipped,
    time: formatSeconds(suite.startedAt, suite.finishedAt),
    ...(suite.startedAt ? { timestamp: suite.startedAt.toISOString() } : {}),
  })}>\n${renderRunProperties(run)}`;
  if (!empty) return head;
  const open = `    <testcase${renderAttributes({ classname: `${run.planName}.${suite.key}`, name: suite.name, time: '0' })}`;
  if (stepToJunitOutcome(suite.status) === 'passed') return `${head}${open}/>\n`;
  return `${head}${open}><skipped${renderAttributes({ message: suite.reason ?? `The step is ${suite.status}.` })}/></testcase>\n`;
}

export const SUITE_END_TAG = '  </testsuite>\n';

/** Returns the case of a host that a step did not reach, with the name that it has in other runs. */
export function renderMissingCase(suite: JunitSuite, plan: string, host: string): string {
  const message = suite.reason ?? `The step is ${suite.status} and has no result on this host.`;
  return `${openCase(plan, suite.key, host, '0')}<skipped${renderAttributes({ message })}/></testcase>\n`;
}

const openCase = (plan: string, stepKey: string, host: string, time: string): string =>
  `    <testcase${renderAttributes({ classname: `${plan}.${stepKey}`, name: host, time })}>${renderProperties({ host })}`;

/** @param lastLines end of the output of a failed result */
export function renderTestCase(result: HostResultView, plan: string, lastLines: readonly string[]): string {
  const { stepKey, serverName, status, verdict, exitCode, signal, reason } = result;
  const message = reason?.text ?? null;
  const time = formatSeconds(parseDate(result.startedAt), parseDate(result.finishedAt));
  const open = openCase(plan, stepKey, serverName, time);
  const outcome = toJunitOutcome(result);
  const ended = signal ? `signal ${signal}` : exitCode === null ? status : `exit code ${exitCode}`;
  const messageText = message ?? verdict ?? ended;
  if (outcome === 'passed') {
    const verdictText = verdict === null ? null : [verdict, message].filter((text) => text !== null).join(': ');
    return verdictText === null
      ? `${open}</testcase>\n`
      : `${open}<system-out>${escapeXmlText(verdictText)}</system-out></testcase>\n`;
  }
  if (outcome === 'skipped') return `${open}<skipped${renderAttributes({ message: messageText })}/></testcase>\n`;
  const values = renderAttributes({ message: messageText, type: reason?.code ?? verdict ?? status });
  return `${open}<${outcome}${values}>${escapeXmlText(lastLines.join('\n'))}</${outcome}></testcase>\n`;
}
