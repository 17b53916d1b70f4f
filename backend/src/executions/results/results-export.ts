import { Inject, Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { runPageUrl } from '../../common/http/web-pages.js';
import { writeTexts } from '../../common/http/write-texts.js';
import { RUNTIME, type Runtime } from '../../common/settings/runtime.js';
import type { ListResultsQuery } from '../contract/queries.dto.js';
import type { HostResultView } from '../contract/results.view.js';
import type { HostStatus, StepStatus, Verdict } from '../lifecycle/statuses.js';
import { loadOutputTails } from '../output/output-tail.js';
import { ExecutionsReader } from '../queries/executions.reader.js';
import {
  listNonEmptySuites,
  JUNIT_END_TAG,
  renderJunitHead,
  toJunitOutcome,
  type JunitRun,
  type JunitSuite,
  createZeroCounts,
  renderMissingCase,
  renderSuiteHead,
  SUITE_END_TAG,
  renderTestCase,
} from './junit.js';
import type { Snapshot } from '../record/execution-row.js';
import { listTargetIds } from '../steps/step-targets.js';
import { getRunStepType } from '../steps/types/run-step-types.js';
import { ResultsReader } from './results.reader.js';

const RESULTS_PER_PAGE = 200;
const LAST_LINES = 20;

type ResultFilters = Omit<ListResultsQuery, 'limit' | 'cursor'>;

interface SuiteRow {
  step_index: number;
  key: string;
  name: string;
  status: StepStatus;
  reason: string | null;
  started_at: Date | null;
  finished_at: Date | null;
  results: { status: HostStatus; verdict: Verdict | null; count: number }[] | null;
}

/** Streams the results of a run without loading all of them. Checks visibility again for each page. */
@Injectable()
export class ResultsExport {
  constructor(
    private readonly units: UnitOfWork,
    private readonly executions: ExecutionsReader,
    private readonly results: ResultsReader,
    @Inject(RUNTIME) private readonly runtime: Runtime,
  ) {}

  /**
   * Writes one JSON object per line.
   * @throws Problem 404 before anything is written
   */
  async sendNdjson(caller: Principal, id: string, query: ResultFilters, response: Response): Promise<undefined> {
    const resultPages = this.readPages(caller, id, query);
    const first = await resultPages.next();
    beginDownload(response, id, 'application/x-ndjson', 'ndjson');
    const lines = async function* () {
      for (let read = first; !read.done; read = await resultPages.next())
        yield read.value.map((result) => `${JSON.stringify(result)}\n`).join('');
    };
    await writeTexts(response, lines());
  }

  /**
   * Writes a JUnit report: one suite per step, one test case per host.
   * @throws Problem 404 before anything is written
   */
  async sendJunit(caller: Principal, id: string, query: ResultFilters, response: Response): Promise<undefined> {
    const whole = query.serverId === undefined && query.status === undefined;
    const { run, steps, hosts } = await this.units.read(caller.tenantId, async (tx) => ({
      run: await this.executions.getVisibleRun(tx, caller, id),
      steps: await loadSuiteRows(tx, id, query),
      hosts: whole ? await loadHosts(tx, id) : [],
    }));
    const resultPages = this.readPages(caller, id, { ...query, sort: undefined });
    const first = await resultPages.next();
    beginDownload(response, id, 'application/xml', 'xml');
    const targets = createTargetFinder(run.snapshot, hosts);
    const read = steps.map((row) => ({ ...row, suite: toSuite(row, targets(row.key).length) }));
    const summary = listNonEmptySuites(
      read.filter(({ results }) => whole || results !== null).map(({ suite }) => suite),
    );
    const plan = run.plan_name;
    const report: JunitRun = {
      ...{ id, url: runPageUrl(this.runtime.settings.publicUrl, id), digest: run.digest, planName: plan },
      ...{ status: run.status, reason: run.status_text, startedAt: run.started_at, finishedAt: run.finished_at },
    };
    const tails = (stepIndex: number, ids: string[]) =>
      this.units.read(caller.tenantId, (tx) => loadOutputTails(tx, { executionId: id }, stepIndex, ids, LAST_LINES));
    const indexOf = new Map(read.map(({ key, step_index }) => [key, step_index]));

    const texts = async function* () {
      yield renderJunitHead(report, summary, whole && query.stepKey === undefined);
      let at = -1;
      let written = new Set<string>();
      /** Writes the hosts of the open suite that have no result, and its end. */
      const end = (): string => {
        const suite = summary[at];
        if (suite === undefined) return '';
        const missing = targets(suite.key).filter(({ server_id }) => !written.has(server_id));
        written = new Set();
        return missing.map(({ name }) => renderMissingCase(suite, plan, name)).join('') + SUITE_END_TAG;
      };
      /**
       * Ends the open suite, writes the empty suites before the suite `key`, and starts that one. Null = writes all
       * remaining suites.
       */
      const upTo = (key: string | null): string => {
        let text = end();
        for (at += 1; at < summary.length; at += 1) {
          const suite = summary[at];
          if (!suite || suite.key === key) break;
          text += renderSuiteHead(suite, report, targets(suite.key).length === 0) + end();
        }
        const suite = summary[at];
        return suite ? text + renderSuiteHead(suite, report, false) : text;
      };
      for (let portion = first; !portion.done; portion = await resultPages.next()) {
        for (const [key, results] of groupByStep(portion.value)) {
          // While the run continues, a step can have results that did not exist when the report began.
          if (!summary.some((suite) => suite.key === key)) continue;
          if (summary[at]?.key !== key) yield upTo(key);
          const failedResults = results.filter((result) => ['failure', 'error'].includes(toJunitOutcome(result)));
          const ends =
            failedResults.length > 0
              ? await tails(
                  indexOf.get(key) ?? -1,
                  failedResults.map(({ serverId }) => serverId),
                )
              : null;
          for (const { serverId } of results) written.add(serverId);
          yield results.map((result) => renderTestCase(result, plan, ends?.get(result.serverId) ?? [])).join('');
        }
      }
      yield upTo(null) + JUNIT_END_TAG;
    };
    await writeTexts(response, texts());
  }

  private async *readPages(
    caller: Principal,
    id: string,
    filters: ResultFilters,
  ): AsyncGenerator<HostResultView[], undefined> {
    for (let cursor: string | undefined; ; ) {
      const page = await this.results.list(caller, id, { ...filters, limit: RESULTS_PER_PAGE, cursor });
      yield page.items;
      if (page.nextCursor === null) return;
      cursor = page.nextCursor;
    }
  }
}

function beginDownload(response: Response, id: string, media: string, ending: string): void {
  response.status(200).type(`${media}; charset=utf-8`);
  response.setHeader('Content-Disposition', `attachment; filename="results-${id}.${ending}"`);
}

/**
 * Returns the steps that match the filter, each with the number of matching results by status; null = no matching
 * results.
 */
const loadSuiteRows = (
  tx: EntityManager,
  id: string,
  { stepKey, serverId, status }: ResultFilters,
): Promise<SuiteRow[]> =>
  rows(
    tx,
    sql<SuiteRow>`select s.step_index, s.key, s.name, s.status, s.reason, s.started_at, s.finished_at,
        (select json_agg(c) from (
          select r.status, r.verdict, count(*)::int as count from host_results r
            where r.execution_id = s.execution_id and r.step_index = s.step_index
              and ${serverId === undefined ? sql`true` : sql`r.server_id = ${serverId}`}
              and ${status === undefined ? sql`true` : sql`r.status = any (${status})`}
            group by r.status, r.verdict) c) as results
      from execution_steps s where s.execution_id = ${id} and ${stepKey === undefined ? sql`true` : sql`s.key = ${stepKey}`}
      order by s.step_index`,
  );

interface ReportHost {
  server_id: string;
  name: string;
  tags: Record<string, string>;
}

const loadHosts = (tx: EntityManager, id: string): Promise<ReportHost[]> =>
  rows(
    tx,
    sql<ReportHost>`select server_id, name, tags from execution_hosts where execution_id = ${id} order by ordinal`,
  );

/** Returns a function that returns the hosts on which a step runs. */
function createTargetFinder(snapshot: Snapshot, hosts: readonly ReportHost[]) {
  const byId = new Map(hosts.map((host) => [host.server_id, host]));
  const steps = new Map(snapshot.plan.steps.map((step) => [step.key, step]));
  return (stepKey: string): readonly ReportHost[] => {
    const step = steps.get(stepKey);
    if (step === undefined || getRunStepType(step).runs === 'pause') return [];
    return step.targets === '' ? hosts : listTargetIds(step.targets, hosts).flatMap((id) => byId.get(id) ?? []);
  };
}

/** @param hostCount number of hosts on which the step runs; 0 = only results count */
function toSuite(row: SuiteRow, hostCount: number): JunitSuite {
  const counts = createZeroCounts();
  for (const { count, ...judged } of row.results ?? []) counts[toJunitOutcome(judged)] += count;
  const resultCount = (row.results ?? []).reduce((sum, { count }) => sum + count, 0);
  counts.skipped += Math.max(0, hostCount - resultCount);
  const { key, name, status, reason } = row;
  return { key, name, status, reason, startedAt: row.started_at, finishedAt: row.finished_at, counts };
}

function groupByStep(results: readonly HostResultView[]): Map<string, HostResultView[]> {
  const steps = new Map<string, HostResultView[]>();
  for (const result of results) steps.set(result.stepKey, [...(steps.get(result.stepKey) ?? []), result]);
  return steps;
}
