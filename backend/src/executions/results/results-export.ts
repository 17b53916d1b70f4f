import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { EntityManager } from 'typeorm';
import type { Principal } from '../../common/access/principal.js';
import { rows, sql } from '../../common/database/sql.js';
import { UnitOfWork } from '../../common/database/unit-of-work.js';
import { writeTexts } from '../../common/http/write-texts.js';
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
  type JunitSuite,
  createZeroCounts,
  renderSuiteHead,
  SUITE_END_TAG,
  renderTestCase,
} from './junit.js';
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
    const { run, steps } = await this.units.read(caller.tenantId, async (tx) => ({
      run: await this.executions.getVisibleRun(tx, caller, id),
      steps: await loadSuiteRows(tx, id, query),
    }));
    const resultPages = this.readPages(caller, id, query);
    const first = await resultPages.next();
    beginDownload(response, id, 'application/xml', 'xml');
    const whole = query.serverId === undefined && query.status === undefined;
    const read = steps.map((row) => ({ ...row, suite: toSuite(row) }));
    const summary = listNonEmptySuites(
      read.filter(({ results }) => whole || results !== null).map(({ suite }) => suite),
    );
    const plan = run.plan_name;
    const tails = (stepIndex: number, ids: string[]) =>
      this.units.read(caller.tenantId, (tx) => loadOutputTails(tx, { executionId: id }, stepIndex, ids, LAST_LINES));
    const indexOf = new Map(read.map(({ key, step_index }) => [key, step_index]));

    const texts = async function* () {
      yield renderJunitHead(plan, run.started_at, run.finished_at, summary);
      let at = -1;
      /**
       * Ends the open suite, writes the empty suites before the suite `key`, and starts that one. Null = writes all
       * remaining suites.
       */
      const upTo = (key: string | null): string => {
        let text = at < 0 ? '' : SUITE_END_TAG;
        for (at += 1; at < summary.length; at += 1) {
          const suite = summary[at];
          if (!suite || suite.key === key) break;
          text += renderSuiteHead(suite, plan, true) + SUITE_END_TAG;
        }
        const suite = summary[at];
        return suite ? text + renderSuiteHead(suite, plan, false) : text;
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

function toSuite(row: SuiteRow): JunitSuite {
  const counts = createZeroCounts();
  for (const { count, ...judged } of row.results ?? []) counts[toJunitOutcome(judged)] += count;
  const { key, name, status, reason } = row;
  return { key, name, status, reason, startedAt: row.started_at, finishedAt: row.finished_at, counts };
}

function groupByStep(results: readonly HostResultView[]): Map<string, HostResultView[]> {
  const steps = new Map<string, HostResultView[]>();
  for (const result of results) steps.set(result.stepKey, [...(steps.get(result.stepKey) ?? []), result]);
  return steps;
}
