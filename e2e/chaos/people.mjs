/**
 * Simulated users of a trial. They start, approve, answer pauses, steer, rerun, and resolve hosts with unknown results.
 * All requests are recorded, because Runward must not store more actions than were requested.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from './random.mjs';

const POLL_MS = 150;
const MAX_TRIES = 12;
/**
 * Delays before a start is repeated, in ms. `OVERLAP_MS`: after a conflict with another run. `UNANSWERED_MS`: without a
 * response.
 */
const OVERLAP_MS = 900;
const UNANSWERED_MS = 500;
const MAX_CHECKS = 2;

const PAUSED_QUERY = `select id, note as marker, pause_reason as reason, pause_step as step, pause_since::text as since, digest
  from executions where environment_id = any ($1::uuid[]) and status = 'PAUSED'`;
const UNKNOWN = `select r.execution_id as run, s.key as step, r.server_id as server from host_results r
  join execution_steps s using (execution_id, step_index) join executions e on e.id = r.execution_id
  where e.environment_id = any ($1::uuid[]) and e.finished_at is not null and r.status = 'UNKNOWN' and r.resolution is null`;
const LONG = `select id from executions where environment_id = any ($1::uuid[]) and finished_at is null and plan_name like 'long %'`;
/** Queued runs that wait for a guard key of another run. All other queued runs must continue without help. */
const BLOCKED_QUERY = `select distinct q.execution_id as id from guard_queue q join guard_waits w using (tenant_id, execution_id)
  join guard_keys k on k.tenant_id = w.tenant_id and k.key = w.key and k.execution_id <> q.execution_id
  where q.environment_id = any ($1::uuid[]) and q.arrival is not null`;
/**
 * Unfinished runs. This is one statement: with two statements, a run that changes between them would be in neither
 * result.
 */
const OPEN = `select id, status, note as marker, pause_reason as reason, pause_step as step, pause_since::text as since,
    exists (select from guard_queue q where q.execution_id = e.id and q.arrival is not null) as "isQueued"
  from executions e where environment_id = any ($1::uuid[]) and status in ('PENDING', 'RUNNING', 'CANCELLING', 'PAUSED')`;

export class People {
  /** Requested starts: `marker`, and the run's `id` after status 201. */
  startRequests = [];
  actions = [];
  #ignored = new Set();
  #busy = new Set();
  #checked = new Map();
  #polling = null;
  #gone = false;
  /** True after healing: users no longer retry, so that the runs end. */
  #closing = false;

  /**
   * @param {{ rig: object, scenario: object, environmentIds: object, planIds: object, runs: Set<string>, until: number
   *   }} options `until`: time of the last start
   */
  constructor({ rig, scenario, environmentIds, planIds, runs, until }) {
    Object.assign(this, { rig, scenario, planIds, runs, until });
    this.environmentIds = environmentIds;
    this.environments = Object.values(environmentIds);
    this.chance = new Random(`people ${scenario.seed}`);
    this.starts = new Map(scenario.starts.map((start) => [start.marker, start]));
  }

  begin() {
    this.#polling = this.#poll();
  }

  /** Cancels long runs, including runs whose start got no response. */
  async close() {
    this.#closing = true;
    const long = (await this.#ask(LONG)) ?? [];
    await Promise.all(long.map(({ id }) => this.#cancel(id)));
  }

  async end() {
    this.#gone = true;
    await this.#polling;
  }

  /** Whether no run is active and the users intend no further answer; null: the database is unavailable. */
  async isQuiet() {
    const [open, unknown] = await Promise.all([this.#ask(OPEN), this.#ask(UNKNOWN)]);
    if (!open || !unknown) return null;
    const waits = (key) => !this.#ignored.has(key);
    const isIgnoredPause = (run) => run.status === 'PAUSED' && run.reason !== 'GATE' && !waits(keyOfPause(run));
    const queued = open.filter((run) => run.isQueued && run.status === 'PENDING');
    if (unknown.some((hostStep) => waits(keyOfHostStep(hostStep)))) return false;
    if (!open.every((run) => isIgnoredPause(run) || queued.includes(run))) return false;
    if (queued.length > 0) await this.#cancelBlocked();
    return queued.length === 0;
  }

  /** Cancels runs that are queued behind an ignored pause, because they would wait for a day. */
  async #cancelBlocked() {
    const blocked = (await this.#ask(BLOCKED_QUERY)) ?? [];
    await Promise.all(blocked.map(({ id }) => this.#cancel(id)));
  }

  async start(start) {
    await sleep(start.at);
    const id = await this.#accepted(start.marker, '/api/executions', start.patient, {
      planId: this.planIds[start.plan],
      execution_mode: start.mode,
      variables: { CHAOS_RUN: start.marker },
      targets: `host in (${start.hosts.join(',')})`,
      note: start.marker,
      ...waiting(start.queues && start.mode !== 'dry_run'),
    });
    if (!id) return;
    const startedAt = performance.now();
    for (const { afterMs, act, mode } of start.steps) {
      await sleep(Math.max(0, startedAt + afterMs - performance.now()));
      if (act === 'cancel') await this.#cancel(id);
      else
        await this.#say(
          { run: id, act },
          `/api/executions/${id}/${act}`,
          act === 'mode' ? { execution_mode: mode } : {},
        );
    }
    if (start.rerun) await this.#rerun(start, id);
  }

  async #cancel(id) {
    for (;;) {
      const userAction = { run: id, act: 'cancel' };
      await this.#say(userAction, `/api/executions/${id}/cancel`, {});
      if (userAction.status > 0 && userAction.status < 500) return;
      await sleep(UNANSWERED_MS);
    }
  }

  /**
   * Makes a change as an admin. A deleted grant is restored after `lasts` ms; a protected environment stays protected.
   */
  async applyAdminChange({ at, act, approver, lasts }) {
    await sleep(at);
    const { client, approvers, grantor } = this.rig;
    if (act === 'protect')
      return client.demand('PATCH', `/api/environments/${this.environmentIds.open}`, { protected: true });
    const grant = `/api/environments/${this.environmentIds.guarded}/grants/${approvers[approver].userId}`;
    await grantor.client.sendOnce('DELETE', grant);
    await sleep(lasts);
    await grantor.client.demand('PUT', grant, { level: 'approve' });
  }

  /**
   * Starts a run like a careful script: repeats the request with the same idempotency key. @returns the run's ID or
   * null
   */
  async #accepted(marker, path, patient, body) {
    const request = { marker, id: null };
    this.startRequests.push(request);
    for (let unanswered = 0; unanswered < MAX_TRIES; ) {
      const answer = await this.rig.client.sendOnce('POST', path, body, { 'idempotency-key': marker });
      if (answer.status === 201) {
        request.id = answer.body.id;
        request.queued = Boolean(answer.body.queue);
        this.runs.add(request.id);
        return request.id;
      }
      if (answer.status >= 400 && answer.status < 500) {
        request.refused = answer.body?.code;
        requireAnswer('POST', path, answer);
        const mayPass = request.refused === 'idempotency_in_progress' || (patient && request.refused === 'run_overlap');
        if (!mayPass || performance.now() > this.until) return null;
        await sleep(OVERLAP_MS);
        continue;
      }
      unanswered += 1;
      await sleep(UNANSWERED_MS);
    }
    return null;
  }

  async #rerun({ marker, plan, rerun }, id) {
    let body;
    for (;;) {
      if (performance.now() > this.until) return;
      ({ body } = await this.rig.client.sendOnce('GET', `/api/executions/${id}`));
      if (body?.finished) break;
      await sleep(OVERLAP_MS);
    }
    const { steps } = this.scenario.plans.find((each) => each.name === plan);
    const from = rerun.lastSteps === null ? undefined : steps.at(-rerun.lastSteps)?.key;
    await this.#accepted(`${marker}.again`, `/api/executions/${id}/rerun`, true, {
      hosts: rerun.hosts,
      snapshot: rerun.snapshot,
      ...(from === undefined ? {} : { fromStepKey: from }),
      note: `${marker}.again`,
      ...waiting(rerun.queues && body.execution_mode !== 'dry_run'),
    });
  }

  async #poll() {
    while (!this.#gone) {
      await sleep(POLL_MS);
      const [paused, unknown] = await Promise.all([this.#ask(PAUSED_QUERY), this.#ask(UNKNOWN)]);
      for (const pause of paused ?? []) this.#once(keyOfPause(pause), () => this.#answer(pause));
      for (const hostStep of unknown ?? []) this.#once(keyOfHostStep(hostStep), () => this.#resolve(hostStep));
    }
  }

  /** Answers a pause or host step unless an answer is pending. Skips some calls at random, which delays the answer. */
  #once(key, answer) {
    if (this.#busy.has(key) || this.#ignored.has(key) || this.chance.chance(0.4)) return;
    this.#busy.add(key);
    void answer().finally(() => this.#busy.delete(key));
  }

  async #answer(pause) {
    const leave = () => this.#ignored.add(keyOfPause(pause));
    if (pause.reason === 'APPROVAL') return this.#approve(pause, leave);
    const { body } = await this.rig.client.sendOnce('GET', `/api/executions/${pause.id}`);
    if (!body?.pause) return;
    const { stepKey, since, choices, reason } = body.pause;
    if (reason === 'GATE' ? this.chance.chance(0.25) : this.chance.chance(0.02)) return void leave();
    const action = this.chance.weighted(choices.map((choice) => [choice, this.#weightOf(choice)]));
    const serverIds = await this.#named(pause, action);
    const userAction = { run: pause.id, act: `decide ${action}`, step: stepKey };
    await this.#say(userAction, `/api/executions/${pause.id}/decisions`, {
      stepKey,
      action,
      pauseSince: since,
      ...(serverIds ? { serverIds } : {}),
    });
  }

  #weightOf(choice) {
    const retryWeight = this.#closing ? 0.1 : 1;
    return (
      { proceed: 6, skip: 2, retry: retryWeight, retry_failed: 2 * retryWeight, exclude_hosts: 2, abort: 0.7 }[
        choice
      ] ?? 1
    );
  }

  /** Sometimes selects single hosts, including hosts with an unknown result. */
  async #named(pause, action) {
    if (!/retry|exclude/.test(action) || this.chance.chance(0.6)) return null;
    const rows = await this.rig.watch.ask(
      'select server_id as id, status from host_results where execution_id = $1 and step_index = $2 order by server_id',
      [pause.id, pause.step],
    );
    const able = (rows ?? []).filter(({ status }) => action !== 'retry_failed' || status !== 'SUCCEEDED');
    if (able.length === 0) return null;
    return this.chance.sample(able, this.chance.wholeNumber(1, able.length)).map(({ id }) => id);
  }

  async #approve(pause, leave) {
    const intent = this.starts.get(pause.marker)?.approval ?? 'approve';
    if (intent === 'leave') return void leave();
    const approver = this.chance.pick(this.rig.approvers);
    const body = { comment: 'as requested', digest: pause.digest };
    await this.#say({ run: pause.id, act: intent }, `/api/executions/${pause.id}/${intent}`, body, approver.client);
  }

  async #resolve(hostStep) {
    const key = keyOfHostStep(hostStep);
    if (this.chance.chance(0.12)) return void this.#ignored.add(key);
    const checks = this.#checked.get(key) ?? 0;
    const action = this.chance.weighted([
      ['check', checks < MAX_CHECKS ? 4 : 0],
      ['mark_succeeded', 1],
      ['mark_failed', 1],
      ['skip', 1],
      ['run_again', this.#closing ? 0 : 1.5],
    ]);
    if (action === 'check') this.#checked.set(key, checks + 1);
    const path = `/api/executions/${hostStep.run}/hosts/${hostStep.server}/resolve`;
    const userAction = { run: hostStep.run, act: `resolve ${action}`, step: hostStep.step, server: hostStep.server };
    const marker = `${hostStep.run}.${hostStep.step}.${hostStep.server}.again`;
    const body = { stepKey: hostStep.step, action, comment: marker };
    if (action === 'run_again') {
      this.actions.push(userAction);
      await this.#accepted(marker, path, false, body);
    } else await this.#say(userAction, path, body);
    if (action === 'check') await sleep(12 * POLL_MS);
  }

  async #say(userAction, path, body, client = this.rig.client) {
    this.actions.push(userAction);
    const answer = await client.sendOnce('POST', path, body);
    userAction.status = answer.status;
    userAction.code = answer.body?.code;
    requireAnswer('POST', path, answer);
  }

  #ask(sql) {
    return this.rig.watch.ask(sql, [this.environments]);
  }
}

const waiting = (queues) => (queues ? { onOverlap: 'queue' } : {});
const keyOfPause = ({ id, reason, since }) => `${id} ${reason} ${since}`;
const keyOfHostStep = ({ run, step, server }) => `${run} ${step} ${server}`;

/**
 * Missing responses, server errors and conflicts are valid, and so is a missing grant, because the harness withdraws
 * grants of approvers. Any other status is a bug of the harness.
 */
function requireAnswer(method, path, { status, body }) {
  if (status === 403 && body?.code === 'grant_required') return;
  if (status === 0 || status < 300 || status === 409 || status >= 500) return;
  throw new Error(`${method} ${path} was answered with ${status}: ${JSON.stringify(body)}`);
}
