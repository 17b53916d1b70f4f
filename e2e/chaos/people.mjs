/**
 * The people of a trial: they start runs, approve, answer pauses, steer, start again, and say what became of hosts that
 * nobody can speak for. All that they ask for is kept, for what is stored must not be more than that.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from './random.mjs';

const LOOK_MS = 150;
const TRIES = 12;
/** Before a start is asked for again: because another run was in the way, because no answer came; in ms. */
const OVERLAP_MS = 900;
const UNANSWERED_MS = 500;
/** How often a host is asked once more what became of its command. */
const CHECKS = 2;

const PAUSED = `select id, note as marker, pause_reason as reason, pause_step as step, pause_since::text as since, digest
  from executions where environment_id = any ($1::uuid[]) and status = 'PAUSED'`;
const UNKNOWN = `select r.execution_id as run, s.key as step, r.server_id as server from host_results r
  join execution_steps s using (execution_id, step_index) join executions e on e.id = r.execution_id
  where e.environment_id = any ($1::uuid[]) and e.finished_at is not null and r.status = 'UNKNOWN' and r.resolution is null`;
const LONG = `select id from executions where environment_id = any ($1::uuid[]) and finished_at is null and plan_name like 'long %'`;
/** Runs in line that wait for what another run holds: the others have to go on by themselves. */
const BLOCKED = `select distinct q.execution_id as id from guard_queue q join guard_waits w using (tenant_id, execution_id)
  join guard_keys k on k.tenant_id = w.tenant_id and k.key = w.key and k.execution_id <> q.execution_id
  where q.environment_id = any ($1::uuid[]) and q.arrival is not null`;
/** Unfinished runs, in one statement: between two of them a run that is answered would be in neither. */
const OPEN = `select id, status, note as marker, pause_reason as reason, pause_step as step, pause_since::text as since,
    exists (select from guard_queue q where q.execution_id = e.id and q.arrival is not null) as "inLine"
  from executions e where environment_id = any ($1::uuid[]) and status in ('PENDING', 'RUNNING', 'CANCELLING', 'PAUSED')`;

export class People {
  /** Every start that was asked for: `marker`, `id` once it was answered by 201. */
  asked = [];
  /** Everything else: `run`, `act`, `step`. */
  said = [];
  /** What they leave as it is, by run and pause, or by place. */
  #left = new Set();
  #busy = new Set();
  #checked = new Map();
  #looking = null;
  #gone = false;
  /** Once everything is healed they want to see the end: nothing is begun again. */
  #closing = false;

  /** @param {{ rig: object, scenario: object, environmentIds: object, planIds: object, runs: Set<string>, until: number }} given `until`: when starts are over */
  constructor({ rig, scenario, environmentIds, planIds, runs, until }) {
    Object.assign(this, { rig, scenario, planIds, runs, until });
    this.environmentIds = environmentIds;
    this.environments = Object.values(environmentIds);
    this.chance = new Random(`people ${scenario.seed}`);
    this.starts = new Map(scenario.starts.map((start) => [start.marker, start]));
  }

  begin() {
    this.#looking = this.#look();
  }

  /** What would go on for long is cancelled, also where its starter never heard that it was accepted. */
  async close() {
    this.#closing = true;
    const long = (await this.#ask(LONG)) ?? [];
    await Promise.all(long.map(({ id }) => this.#cancel(id)));
  }

  async end() {
    this.#gone = true;
    await this.#looking;
  }

  /** Whether nothing goes on, and nothing waits for an answer that they mean to give; null: nobody can tell. */
  async isQuiet() {
    const [open, unknown] = await Promise.all([this.#ask(OPEN), this.#ask(UNKNOWN)]);
    if (!open || !unknown) return null;
    const waits = (key) => !this.#left.has(key);
    const stands = (run) => run.status === 'PAUSED' && run.reason !== 'GATE' && !waits(keyOfPause(run));
    const inLine = open.filter((run) => run.inLine && run.status === 'PENDING');
    if (unknown.some((place) => waits(keyOfPlace(place)))) return false;
    if (!open.every((run) => stands(run) || inLine.includes(run))) return false;
    if (inLine.length > 0) await this.#leaveLines();
    return inLine.length === 0;
  }

  /** Who stands in line behind what people leave as it is would wait for a day. */
  async #leaveLines() {
    const blocked = (await this.#ask(BLOCKED)) ?? [];
    await Promise.all(blocked.map(({ id }) => this.#cancel(id)));
  }

  /** One start, and what its starter does with the run. */
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
    const begun = performance.now();
    for (const { afterMs, act, mode } of start.steps) {
      await sleep(Math.max(0, begun + afterMs - performance.now()));
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

  /** As somebody who means it: until it is answered. */
  async #cancel(id) {
    for (;;) {
      const said = { run: id, act: 'cancel' };
      await this.#say(said, `/api/executions/${id}/cancel`, {});
      if (said.status > 0 && said.status < 500) return;
      await sleep(UNANSWERED_MS);
    }
  }

  /** Something that an admin changes; it is as it was before in the end, but for an environment that became protected. */
  async turn({ at, act, approver, lasts }) {
    await sleep(at);
    const { client, approvers, grantor } = this.rig;
    if (act === 'protect')
      return client.demand('PATCH', `/api/environments/${this.environmentIds.open}`, { protected: true });
    const grant = `/api/environments/${this.environmentIds.guarded}/grants/${approvers[approver].userId}`;
    await grantor.client.once('DELETE', grant);
    await sleep(lasts);
    await grantor.client.demand('PUT', grant, { level: 'approve' });
  }

  /** Asks as a careful script does: the same key again when no answer came. @returns the run's id */
  async #accepted(marker, path, patient, body) {
    const asked = { marker, id: null };
    this.asked.push(asked);
    for (let unanswered = 0; unanswered < TRIES; ) {
      const answer = await this.rig.client.once('POST', path, body, { 'idempotency-key': marker });
      if (answer.status === 201) {
        asked.id = answer.body.id;
        asked.queued = Boolean(answer.body.queue);
        this.runs.add(asked.id);
        return asked.id;
      }
      if (answer.status >= 400 && answer.status < 500) {
        asked.refused = answer.body?.code;
        demandAnswer('POST', path, answer);
        const mayPass = asked.refused === 'idempotency_in_progress' || (patient && asked.refused === 'run_overlap');
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
      ({ body } = await this.rig.client.once('GET', `/api/executions/${id}`));
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

  async #look() {
    while (!this.#gone) {
      await sleep(LOOK_MS);
      const [paused, unknown] = await Promise.all([this.#ask(PAUSED), this.#ask(UNKNOWN)]);
      for (const pause of paused ?? []) this.#once(keyOfPause(pause), () => this.#answer(pause));
      for (const place of unknown ?? []) this.#once(keyOfPlace(place), () => this.#resolve(place));
    }
  }

  /** Nobody is asked the same thing again while they think; some take their time. */
  #once(key, answer) {
    if (this.#busy.has(key) || this.#left.has(key) || this.chance.chance(0.4)) return;
    this.#busy.add(key);
    void answer().finally(() => this.#busy.delete(key));
  }

  async #answer(pause) {
    const leave = () => this.#left.add(keyOfPause(pause));
    if (pause.reason === 'APPROVAL') return this.#approve(pause, leave);
    const { body } = await this.rig.client.once('GET', `/api/executions/${pause.id}`);
    if (!body?.pause) return;
    const { stepKey, since, choices, reason } = body.pause;
    if (reason === 'GATE' ? this.chance.chance(0.25) : this.chance.chance(0.02)) return void leave();
    const action = this.chance.weighted(choices.map((choice) => [choice, this.#liking(choice)]));
    const serverIds = await this.#named(pause, action);
    const said = { run: pause.id, act: `decide ${action}`, step: stepKey };
    await this.#say(said, `/api/executions/${pause.id}/decisions`, {
      stepKey,
      action,
      pauseSince: since,
      ...(serverIds ? { serverIds } : {}),
    });
  }

  #liking(choice) {
    const again = this.#closing ? 0.1 : 1;
    return { proceed: 6, skip: 2, retry: again, retry_failed: 2 * again, exclude_hosts: 2, abort: 0.7 }[choice] ?? 1;
  }

  /** Now and then hosts are named, also such whose result is unknown. */
  async #named(pause, action) {
    if (!/retry|exclude/.test(action) || this.chance.chance(0.6)) return null;
    const rows = await this.rig.watch.ask(
      'select server_id as id, status from host_results where execution_id = $1 and step_index = $2 order by server_id',
      [pause.id, pause.step],
    );
    const able = (rows ?? []).filter(({ status }) => action !== 'retry_failed' || status !== 'SUCCEEDED');
    if (able.length === 0) return null;
    return this.chance.some(able, this.chance.whole(1, able.length)).map(({ id }) => id);
  }

  async #approve(pause, leave) {
    const intent = this.starts.get(pause.marker)?.approval ?? 'approve';
    if (intent === 'leave') return void leave();
    const approver = this.chance.pick(this.rig.approvers);
    const body = { comment: 'as asked', digest: pause.digest };
    await this.#say({ run: pause.id, act: intent }, `/api/executions/${pause.id}/${intent}`, body, approver.client);
  }

  async #resolve(place) {
    const key = keyOfPlace(place);
    if (this.chance.chance(0.12)) return void this.#left.add(key);
    const checks = this.#checked.get(key) ?? 0;
    const action = this.chance.weighted([
      ['check', checks < CHECKS ? 4 : 0],
      ['mark_succeeded', 1],
      ['mark_failed', 1],
      ['skip', 1],
      ['run_again', this.#closing ? 0 : 1.5],
    ]);
    if (action === 'check') this.#checked.set(key, checks + 1);
    const path = `/api/executions/${place.run}/hosts/${place.server}/resolve`;
    const said = { run: place.run, act: `resolve ${action}`, step: place.step, server: place.server };
    const marker = `${place.run}.${place.step}.${place.server}.again`;
    const body = { stepKey: place.step, action, comment: marker };
    if (action === 'run_again') {
      this.said.push(said);
      await this.#accepted(marker, path, false, body);
    } else await this.#say(said, path, body);
    // What is asked of a host takes a while.
    if (action === 'check') await sleep(12 * LOOK_MS);
  }

  async #say(said, path, body, client = this.rig.client) {
    this.said.push(said);
    const answer = await client.once('POST', path, body);
    said.status = answer.status;
    said.code = answer.body?.code;
    demandAnswer('POST', path, answer);
  }

  #ask(sql) {
    return this.rig.watch.ask(sql, [this.environments]);
  }
}

const waiting = (queues) => (queues ? { onOverlap: 'queue' } : {});
const keyOfPause = ({ id, reason, since }) => `${id} ${reason} ${since}`;
const keyOfPlace = ({ run, step, server }) => `${run} ${step} ${server}`;

/** Nobody there, a fault of the moment, a conflict: all of them are answers. Others are faults of the harness. */
function demandAnswer(method, path, { status, body }) {
  if (status === 0 || status < 300 || status === 409 || status >= 500) return;
  throw new Error(`${method} ${path} was answered by ${status}: ${JSON.stringify(body)}`);
}
