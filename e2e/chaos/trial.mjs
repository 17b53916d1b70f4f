/** One trial: runs are started while faults strike, everything is healed, the runs get time to settle, and all is checked. */
import { setTimeout as sleep } from 'node:timers/promises';
import { check } from './checker.mjs';
import { collectRows } from './collect.mjs';
import { commandOf } from './evidence.mjs';
import { Faults } from './faults.mjs';
import { Random } from './random.mjs';
import { LOAD_MS, scenarioOf } from './scenario.mjs';

/** What an accepted run may take, once everything is healed, to end or to wait for a named reason, in ms. */
const SETTLE_MS = 60_000;
/** A stopped worker that woke up gets this long to do harm, in ms. */
const WAKE_MS = 2_000;
const LOOK_MS = 250;
const START_TRIES = 4;
/** Before a start is asked for again: because another run was in the way, because no answer came; in ms. */
const OVERLAP_MS = 400;
const UNANSWERED_MS = 300;
const UNSETTLED = "('PENDING', 'RUNNING', 'CANCELLING', 'PAUSED')";

export class Trial {
  /** Ids of the trial's runs that are known to be stored. */
  #runs = new Set();
  #hostNames = new Map();
  #asked = [];
  #again = {};
  #settled = false;
  #loadEnds = 0;
  #chance;

  constructor(rig, seed, kinds) {
    this.rig = rig;
    this.#chance = new Random(`operator ${seed}`);
    this.scenario = scenarioOf(seed, { hosts: rig.hosts.map((host) => host.name), modes: rig.modes, kinds });
  }

  async run() {
    const begun = performance.now();
    await this.#prepare();
    const off = this.rig.watch.on((phase, run) => phase === 'accepted' && this.#runs.add(run));
    this.#loadEnds = performance.now() + LOAD_MS;
    const operator = this.#operate();
    const faults = new Faults(this.rig, { runs: this.#runs, hostNames: this.#hostNames });
    const performing = this.scenario.faults.map((fault) => faults.perform(fault));
    await Promise.all(this.scenario.starts.map((start) => this.#start(start)));
    const struck = (await Promise.all(performing)).filter(Boolean);
    off();
    await this.rig.heal();
    const healed = performance.now();
    await this.#settle(healed);
    const settledMs = performance.now() - healed;
    this.#settled = true;
    await operator;
    const found = await this.#gather();
    for (const host of this.rig.hosts) await host.closeWays();
    const violations = check(found);
    return {
      seed: this.scenario.seed,
      ms: performance.now() - begun,
      settledMs,
      faults: struck,
      missed: this.scenario.faults.length - struck.length,
      runs: found.runs.length,
      statuses: countBy(found.runs, (run) => run.status),
      starts: found.evidence.length,
      violations,
      found,
      scenario: this.scenario,
    };
  }

  async #prepare() {
    const { client, hosts, keyId } = this.rig;
    const { seed, plans } = this.scenario;
    const environment = await client.demand('POST', '/api/environments', { name: `trial ${seed}` });
    this.environmentId = environment.id;
    for (const host of hosts) {
      host.forget();
      const server = await client.demand('POST', '/api/inventory/servers', {
        name: `${host.name}-${seed}`,
        ...(await host.openWay()),
        username: host.user,
        sshKeyId: keyId,
        environmentId: environment.id,
        tags: { host: host.name },
        hostKey: host.hostKey,
      });
      this.#hostNames.set(server.id, host.name);
    }
    this.planIds = {};
    for (const plan of plans) {
      const steps = plan.steps.map((step) => ({
        key: step.key,
        command: commandOf(step),
        targets: `host in (${step.hosts.join(',')})`,
        ...(step.confirm && this.rig.modes.length > 1 ? { confirm: true } : {}),
      }));
      const variables = [{ name: 'CHAOS_RUN', type: 'string', required: true }];
      const body = { name: `${plan.name} ${seed}`, environmentId: environment.id, variables, steps };
      this.planIds[plan.name] = (await client.demand('POST', '/api/plans', body)).id;
    }
  }

  /** Asks for a run as a careful script does: the same key again when no answer came. */
  async #start(start) {
    await sleep(start.at);
    const asked = { marker: start.marker, plan: start.plan, id: null };
    this.#asked.push(asked);
    const body = {
      planId: this.planIds[start.plan],
      execution_mode: start.mode,
      variables: { CHAOS_RUN: start.marker },
      targets: `host in (${start.hosts.join(',')})`,
    };
    for (let unanswered = 0; unanswered < START_TRIES; ) {
      const answer = await this.rig.client.once('POST', '/api/executions', body, { 'idempotency-key': start.marker });
      if (answer.status === 201) {
        asked.id = answer.body.id;
        this.#runs.add(asked.id);
        break;
      }
      if (answer.status >= 400 && answer.status < 500) {
        asked.refused = answer.body?.code;
        if (answer.status !== 409)
          throw new Error(`A start was answered by ${answer.status}: ${JSON.stringify(answer.body)}`);
        if (!start.patient || performance.now() > this.#loadEnds) return;
        await sleep(OVERLAP_MS);
        continue;
      }
      unanswered += 1;
      await sleep(UNANSWERED_MS);
    }
    if (!asked.id || start.cancelAfterMs === null) return;
    await sleep(start.cancelAfterMs);
    await this.rig.client.once('POST', `/api/executions/${asked.id}/cancel`, {});
  }

  /** A person who answers each pause, until the trial is over. */
  async #operate() {
    if (this.rig.modes.length === 1) return;
    while (!this.#settled) {
      await sleep(LOOK_MS);
      const rows = await this.rig.watch.ask(
        `select id, snapshot -> 'variables' ->> 'CHAOS_RUN' as marker from executions where environment_id = $1 and status = 'PAUSED'`,
        [this.environmentId],
      );
      for (const { id, marker } of rows ?? []) await this.#answer(id, marker);
    }
  }

  async #answer(id, marker) {
    const { body } = await this.rig.client.once('GET', `/api/executions/${id}`);
    const { stepKey, choices = [] } = body?.pause ?? {};
    // Which hosts to leave out is a question of its own; to abort now and then is enough.
    const wanted = choices.filter(
      (choice) => choice !== 'exclude_hosts' && (choice !== 'abort' || this.#chance.chance(0.2)),
    );
    if (wanted.length === 0) return;
    const action = this.#chance.pick(wanted);
    if (/retry/.test(action)) this.#again[`${marker} ${stepKey}`] = (this.#again[`${marker} ${stepKey}`] ?? 0) + 1;
    await this.rig.client.once('POST', `/api/executions/${id}/decisions`, { stepKey, action });
  }

  async #settle(healed) {
    await sleep(WAKE_MS);
    while (performance.now() - healed < SETTLE_MS) {
      const sql = `select count(*)::int as open from executions where environment_id = $1 and status in ${UNSETTLED}`;
      const rows = await this.rig.watch.ask(sql, [this.environmentId]);
      if (rows?.[0].open === 0) return;
      await sleep(LOOK_MS);
    }
  }

  async #gather() {
    const rows = await collectRows(this.rig.watch, this.environmentId);
    const own = (start) => start.marker.startsWith(`${this.scenario.seed}.`);
    const evidence = this.rig.hosts.flatMap((host) => host.evidence()).filter(own);
    for (const run of rows.runs.filter(({ status }) => status === 'PAUSED')) {
      run.pause = (await this.rig.client.demand('GET', `/api/executions/${run.id}`)).pause;
    }
    return { ...rows, evidence, asked: this.#asked, again: this.#again };
  }
}

export function countBy(list, key) {
  const counts = {};
  for (const each of list) counts[key(each)] = (counts[key(each)] ?? 0) + 1;
  return counts;
}
