import type { ExecutionMode } from '../../src/executions/lifecycle/statuses.js';
import type { LabPlan, LabStep, RunLab } from './run-lab.js';

export const HOSTS = 4;
export const NAMES = Array.from({ length: HOSTS }, (_, index) => `web-${index + 1}`);

/** Runs with the strategy `free`, in which hosts advance independently. */
export interface FreeRuns {
  /** Returns a command with which a host appends its name to a file. */
  mark: (file: string) => string;
  /** Returns a command that runs only on the host with this number. */
  on: (host: number, command: string) => string;
  /** @returns the ID of the run */
  start: (steps: (LabStep | string)[], more?: LabPlan & { mode?: ExecutionMode }) => Promise<string>;
  /** Results as "step host status", sorted. */
  results: (id: string) => Promise<string[]>;
  hasAll: (id: string, expected: string[]) => Promise<boolean>;
  /** Cancels the last run if a failed test left it running, because it would block the next run. */
  endRemaining: () => Promise<void>;
}

/** @param lab called at each use, so that it may be started later */
export function freeRuns(lab: () => RunLab): FreeRuns {
  let started: string | null = null;
  const results: FreeRuns['results'] = async (id) =>
    (await lab().results(id)).map(({ stepKey, serverName, status }) => `${stepKey} ${serverName} ${status}`).sort();
  return {
    mark: (file) => `echo {{ host.name }} >> ${lab().evidence}/${file}`,
    on: (host, command) => `if [ {{ host.name }} = web-${host} ]; then ${command}; fi`,
    async start(steps, { mode = 'auto', ...more } = {}) {
      const plan = await lab().plan(steps, { strategy: 'free', ...more });
      const { id } = await lab().start(plan, { execution_mode: mode });
      started = id;
      return id;
    },
    results,
    async hasAll(id, expected) {
      const found = await results(id);
      return expected.every((each) => found.includes(each));
    },
    async endRemaining() {
      const left = started && (await lab().get(started));
      if (!left || left.finished) return;
      await lab().api.post(`/api/executions/${left.id}/cancel`, {});
      await lab()
        .settled(left.id)
        .catch(() => undefined);
    },
  };
}
