/** Receives each change of a run when it is committed. Only an outage of the database interrupts the connection. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { phaseOfChange, isInPhase, TRIGGERS } from './phases.mjs';

const RECONNECT_MS = 200;

/** Returns the process ID in an owner of runs and slices; null = none. */
export const pidOf = (owner) => Number(owner?.split(':').at(-2)) || null;

export class Watch {
  #client = null;
  #ended = false;
  /** Tail of the chain in which queries run one after the other. */
  #lastQuery = Promise.resolve();
  #listeners = new Set();
  /** Last known owners of runs. A query would take longer than most phases last. */
  #owners = new Map();

  constructor(postgres) {
    this.postgres = postgres;
  }

  async start() {
    await this.#connect();
    await this.#client.query(TRIGGERS);
  }

  /**
   * @param {(phase: string, at: { run: string, server?: string, owner?: string }) => void} listener `owner`: owner of a
   *   slice
   */
  on(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async #connect() {
    const client = new pg.Client({ ...this.postgres.connection, ssl: false });
    client.on('error', () => undefined);
    client.on('notification', ({ payload }) => {
      const change = JSON.parse(payload);
      const { run, server, owner, slice } = change;
      if (owner && !slice) this.#owners.set(run, owner);
      const phase = phaseOfChange(change);
      if (phase) for (const listener of this.#listeners) listener(phase, { run, server, ...(slice ? { owner } : {}) });
    });
    await client.connect();
    await client.query('listen chaos');
    client.once('end', () => {
      if (!this.#ended) void this.#reconnect();
    });
    this.#client = client;
  }

  async #reconnect() {
    this.#client = null;
    while (!this.#ended) {
      await sleep(RECONNECT_MS);
      try {
        return await this.#connect();
      } catch {
        // The database is still unavailable.
      }
    }
  }

  /** @returns {Promise<object[] | null>} null while the database is unavailable */
  ask(sql, values) {
    const answer = this.#lastQuery.then(() => this.#ask(sql, values));
    this.#lastQuery = answer.catch(() => undefined);
    return answer;
  }

  async #ask(sql, values) {
    try {
      return (await this.#client?.query(sql, values))?.rows ?? null;
    } catch (error) {
      // 57P: the server shuts down or starts up. No code, 08 or a system code: the connection broke.
      if (error.code === undefined || /^(57P|08|E[A-Z]+$)/.test(error.code)) return null;
      throw error;
    }
  }

  /** Returns the process ID of the worker that drives the run; null = none. */
  findDriver(run) {
    return pidOf(this.#owners.get(run));
  }

  /** Whether the run is still in the phase; null while the database is unavailable. */
  async isInPhase(phase, run) {
    const rows = await this.ask(
      `select e.status, e.epoch, e.pause_reason as pause,
          exists (select 1 from execution_steps s where s.execution_id = e.id and s.status = 'PENDING') as later,
          exists (select 1 from execution_slices s where s.execution_id = e.id and s.finished_at is null and s.owner is not null) as sliced,
          coalesce((select json_agg(json_build_object('status', r.status, 'sent', r.dispatch_id is not null, 'tried', r.attempts > r.attempts_before))
            from host_results r join execution_steps s using (execution_id, step_index)
            where r.execution_id = e.id and s.status = 'RUNNING'), '[]') as hosts
        from executions e where e.id = $1`,
      [run],
    );
    return rows?.[0] ? isInPhase(phase, rows[0]) : null;
  }

  async stop() {
    this.#ended = true;
    await this.#client?.end().catch(() => undefined);
  }
}
