import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ExecutionView } from '../src/executions/contract/execution.view.js';
import { EXPENSIVE_PLANS, type ExpensiveRecords, nestedLoops } from './support/hostile/expensive-plans.js';
import {
  type MeasuredApi,
  type RequestOptions,
  type ProblemBody,
  startMeasuredApi,
  delayReport,
} from './support/hostile/measured-api.js';
import { SERIAL_PLACEHOLDER } from './support/hostile/valid-bodies.js';
import { fillPath, type OneOfEach } from './support/one-of-each.js';
import { operationOf, operations, requiredQueryOf } from './support/openapi.js';

const MINUTE_MS = 60_000;
/** Maximum time for which evaluating one request may delay other requests, in ms. */
const MAX_DELAY_SECONDS = 50;

let api: MeasuredApi;
let own: OneOfEach;
let called: ExpensiveRecords;
/** Records with an expensive plan: its last run and its schedule. */
let started: OneOfEach;

async function make(path: string, body: object): Promise<string> {
  const { status, body: made, text } = await api.admin.post<{ id: string }>(path, body);
  if (status !== 201) throw new Error(`POST ${path} answered ${status}: ${text}`);
  return made.id;
}

beforeAll(async () => {
  api = await startMeasuredApi(MAX_DELAY_SECONDS);
  const policy = { protected: true, allowSelfApproval: true };
  const environmentId = await make('/api/environments', { name: 'expensive', ...policy });
  const login = { username: 'granite', sshKeyId: api.records.sshKeyId, environmentId };
  for (const name of ['expensive-1', 'expensive-2']) {
    const id = await make('/api/inventory/servers', { ...login, name, hostname: `${name}.invalid` });
    // Own values make each host a separate rendering.
    await api.admin.put(`/api/inventory/servers/${id}/variables/word`, { value: name });
  }
  own = { ...api.records, environmentId };
  called = {
    scriptId: own.scriptId,
    templateId: await make('/api/templates', { name: 'loops', content: nestedLoops(100, 100, '{{ j }}') }),
    calledPlanId: await make('/api/plans', {
      name: 'called',
      steps: [{ key: 'one', command: `echo ${nestedLoops(150)}` }],
    }),
  };
}, MINUTE_MS);
afterAll(() => api?.close());

type Body = { id: string; digest: string } & ProblemBody;

/** Sends a request that may be refused only with one of these statuses. */
async function expectNoDelay(
  operationId: string,
  title: string,
  body: object | null,
  other: RequestOptions = {},
  refusals: number[] = [],
) {
  const operation = operationOf(operationId);
  const about = other.about ?? own;
  const answer = body
    ? await api.expectNoDelay<Body>(operation, title, JSON.stringify(body), { ...other, about })
    : await api.expectNoDelayOf(`${operationId}: ${title}`, () => {
        api.visited.add(operationId);
        const query = new URLSearchParams(requiredQueryOf(operation)).toString();
        return api.admin.get<Body>(`${fillPath(operation.path, about, { number: '2' })}?${query}`);
      });
  if (answer.status >= 300 && !refusals.includes(answer.status))
    throw new Error(`${operationId}, ${title}: ${answer.status} ${answer.text.slice(0, 1000)}`);
  return answer;
}

async function endRuns(): Promise<void> {
  const { body } = await api.admin.get<{ items: { id: string }[] }>(
    `/api/executions?environmentId=${own.environmentId}&status=PAUSED&status=PENDING`,
  );
  for (const { id } of body.items) await api.admin.post(`/api/executions/${id}/cancel`, {});
}

describe('a plan that is expensive to evaluate', () => {
  it.each(Object.keys(EXPENSIVE_PLANS))(
    'does not delay other requests on any route: %s',
    async (title) => {
      const { content, variables, refusal } = (EXPENSIVE_PLANS[title] as (typeof EXPENSIVE_PLANS)[string])(called);
      const plan = { name: `expensive ${SERIAL_PLACEHOLDER}: ${title}`, environmentId: own.environmentId, ...content };
      const { body: saved } = await expectNoDelay('createPlan', title, plan);
      const about = { ...own, planId: saved.id };
      await expectNoDelay('checkPlan', title, { content: JSON.stringify(plan) });
      await expectNoDelay('importPlans', title, { content: JSON.stringify(plan), preview: true });
      await expectNoDelay('updatePlan', title, { description: title }, { about });
      await expectNoDelay('previewTargets', title, { targets: 'name=expensive-*' }, { about });
      await expectNoDelay('previewPlanVariables', title, null, { about });
      await expectNoDelay('diffPlanRevisions', title, null, { about });
      await expectNoDelay('restorePlan', title, { revision: 1 }, { about });

      const start = { planId: saved.id, variables };
      const { body: scheduled } = await expectNoDelay('createSchedule', title, {
        name: title,
        ...start,
        execution_mode: 'auto',
        cron: '0 0 1 1 *',
        timeZone: 'UTC',
        enabled: false,
      });
      await expectNoDelay(
        'updateSchedule',
        title,
        { variables: variables ?? {} },
        { about: { ...about, scheduleId: scheduled.id } },
      );
      await expectNoDelay('previewSchedule', title, { cron: '*/59 23 29 2 1', timeZone: 'Europe/Lisbon' });
      const dry = await expectNoDelay(
        'startExecution',
        `a dry run of ${title}`,
        { ...start, execution_mode: 'dry_run' },
        {},
        [400],
      );
      const assisted = { ...start, execution_mode: 'semi_assisted' };
      const begun = await expectNoDelay('startExecution', title, assisted, { before: endRuns }, [400]);
      if (refusal) {
        for (const { body } of [dry, begun]) expect(body.errors?.map(({ message }) => message).join()).toMatch(refusal);
        return;
      }
      expect([begun.status, begun.body.errors]).toEqual([201, undefined]);
      const { id, digest } = begun.body as unknown as ExecutionView;
      started = { ...about, executionId: id, scheduleId: scheduled.id };
      const run = { about: started };
      await expectNoDelay('reviewExecution', title, null, run);
      await expectNoDelay('switchExecutionMode', title, { execution_mode: 'auto' }, run);
      await expectNoDelay('approveExecution', title, { digest }, run);
      await expectNoDelay('withdrawApproval', title, {}, run, [409]);
      await expectNoDelay('cancelExecution', title, {}, run);
      for (const snapshot of ['same', 'current']) {
        const again = { hosts: 'all', snapshot, execution_mode: 'auto', acceptGaps: true };
        await expectNoDelay('previewRerun', `${title}, ${snapshot}`, again, run);
        const rerun = await expectNoDelay('rerunExecution', `${title}, ${snapshot}`, again, {
          ...run,
          before: endRuns,
        });
        const rejected = { about: { ...about, executionId: rerun.body.id } };
        await expectNoDelay('rejectExecution', title, { digest: rerun.body.digest, comment: 'no' }, rejected);
      }
    },
    3 * MINUTE_MS,
  );

  it('does not delay other requests as a template', async () => {
    const { environmentId } = own;
    for (const content of [
      nestedLoops(900, 900, '{{ j }}'),
      '{% assign x = "a" %}{% for i in (1..40) %}{% assign x = x | append: x %}{% endfor %}',
    ]) {
      const { body } = await expectNoDelay('createTemplate', 'loops', { name: `template ${content.length}`, content });
      await expectNoDelay('updateTemplate', 'loops', { description: 'x' }, { about: { ...own, templateId: body.id } });
      await expectNoDelay('restoreTemplate', 'loops', { revision: 1 }, { about: { ...own, templateId: body.id } });
      await expectNoDelay('renderNewTemplate', 'loops', { content, environmentId }, {}, [400]);
      await expectNoDelay(
        'renderTemplate',
        'loops',
        { environmentId },
        { about: { ...own, templateId: body.id } },
        [400],
      );
    }
  });

  it('does not delay other requests when it is started many times at once', async () => {
    const content = { steps: [{ key: 'one', command: `echo ${nestedLoops(300)}` }] };
    const { body } = await expectNoDelay('createPlan', 'at once', {
      name: 'at once',
      environmentId: own.environmentId,
      ...content,
    });
    const start = { planId: body.id, execution_mode: 'dry_run', note: '' };
    const all = await api.expectNoDelayOf('20 starts at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => api.admin.post('/api/executions', { ...start, note: `${index}` })),
      );
      const [first] = answers;
      if (!first) throw new Error('Nothing was started.');
      return { ...first, statuses: answers.map(({ status }) => status) };
    });
    expect(all.statuses.filter((status) => ![201, 429].includes(status))).toEqual([]);
    expect(all.statuses).toContain(201);
  });
});

describe('a regular expression that is expensive to match', () => {
  it.each(['(a|b)*a(a|b){200}c', 'a.{499}c', '(?:(a.{0,20}b){0,20})c$', '(x+x+)+y', '(.*)(.*)(.*)(.*)d$'])(
    'does not delay other requests: %s',
    async (pattern) => {
      const letters = Array.from({ length: 256 }, (_, index) => 'ab'[((index * index * 7 + index) % 11) % 2]).join('');
      await api.database.query(
        `insert into output_chunks (tenant_id, execution_id, seq, step_index, server_id, stream, first_line, line_count, continues, open_ended, at, data)
          select tenant_id, execution_id, n, 0, server_id, 1, n, 1, false, false, now(),
              convert_to(repeat($2 || n, 60) || chr(10), 'UTF8')
            from execution_hosts, generate_series(1, 500) n where execution_id = $1 and ordinal = 0
          on conflict do nothing`,
        [started.executionId, letters],
      );
      for (const route of ['hits', 'hits/counts']) {
        const query = new URLSearchParams({ q: pattern, regex: 'true' }).toString();
        const { status } = await api.expectNoDelayOf(`${route} of ${pattern}`, () =>
          api.admin.get(`/api/executions/${started.executionId}/output/${route}?${query}`),
        );
        expect(status).toBe(200);
      }
    },
    MINUTE_MS,
  );
});

describe('two runs on 10,000 hosts with 20 steps', () => {
  const HOSTS = 10_000;
  const STEPS = 20;

  /** Starts a run, and adds hosts and results that a worker would have stored. */
  async function storeLargeRun(planId: string, address: string): Promise<string> {
    await endRuns();
    const { body } = await api.admin.post<{ id: string }>('/api/executions', {
      planId,
      execution_mode: 'semi_assisted',
    });
    await api.database.query(
      `insert into execution_hosts
        select (jsonb_populate_record(h, jsonb_build_object('server_id', lpad(n::text, 32, '0')::uuid, 'ordinal', n,
            'name', 'host-' || n, 'hostname', $2 || n,
            'variables', jsonb_build_object('word', repeat('word ', 100)), 'tags', jsonb_build_object('rack', n)))).*
          from execution_hosts h, generate_series(2, $3::int - 1) n where h.execution_id = $1 and h.ordinal = 0`,
      [body.id, address, HOSTS],
    );
    await api.database.query(
      `insert into host_results (tenant_id, execution_id, step_index, server_id, status, started_at, finished_at)
        select tenant_id, execution_id, step, server_id, 'SUCCEEDED', now(), now() + make_interval(secs => ordinal % 7)
          from execution_hosts, generate_series(0, $2::int - 1) step where execution_id = $1`,
      [body.id, STEPS],
    );
    return body.id;
  }

  it(
    'are compared without delaying other requests',
    async () => {
      const steps = Array.from({ length: STEPS }, (_, index) => ({ key: `s${index}`, command: `echo ${index}` }));
      const planId = await make('/api/plans', { name: 'large fleet', environmentId: own.environmentId, steps });
      const before = await storeLargeRun(planId, '10.0.0.');
      const after = await storeLargeRun(planId, '10.9.9.');
      await api.database.query(`analyze execution_hosts, host_results`);
      const compare = (path: string) =>
        api.expectNoDelayOf(path, () =>
          api.admin.get<{ differenceCounts: object[]; total: number }>(
            `/api/executions/${after}/${path}with=${before}`,
          ),
        );
      expect((await compare('comparison?')).body.differenceCounts).toContainEqual({
        ...{ kind: 'host', change: 'changed', count: HOSTS - 2 },
      });
      expect((await compare('comparison/hosts?')).body.total).toBe(HOSTS);
      expect((await compare('comparison/hosts?stepKey=s19&')).body.total).toBe(HOSTS);
      await expectNoDelay('reviewExecution', 'a large fleet', null, { about: { ...own, executionId: after } });
    },
    10 * MINUTE_MS,
  );
});

/** Routes that evaluate no plan. Value: the reason. */
const OPERATIONS_WITHOUT_EVALUATION: Record<string, string> = {
  cancelExecutions: 'cancels runs by their ids',
  decideExecution: 'decides on stored results',
  overrideExecutionFreeze: 'stores a reason',
  overrideExecutionWindow: 'stores a reason',
  pauseExecution: 'changes a status',
  pinExecution: 'stores a note',
  resolveHost: 'decides on a stored result',
  streamExecution: 'never ends; sends stored output',
  takeOverSchedule: 'changes an owner',
};

describe('routes of plans, templates, runs and schedules', () => {
  const routes = operations.filter(
    ({ path, method }) => /^\/api\/(plans|templates|executions|schedules)\b/.test(path) && method !== 'DELETE',
  );
  const read = routes.filter(
    ({ method, operationId }) => method === 'GET' && !(operationId in OPERATIONS_WITHOUT_EVALUATION),
  );

  it.each(read.map(({ operationId }) => operationId))(
    'do not delay other requests when they read such a plan: %s',
    async (id) => {
      await expectNoDelay(id, 'reading', null, { about: started }, [404]);
    },
  );

  it('were all tested with such a plan, except those that evaluate nothing', () => {
    const names = routes.map(({ operationId }) => operationId);
    expect(names).toContain('startExecution');
    expect(names.filter((name) => !api.visited.has(name) && !(name in OPERATIONS_WITHOUT_EVALUATION))).toEqual([]);
    process.stdout.write(delayReport(api));
  });
});
