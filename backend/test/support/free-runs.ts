import type { ExecutionMode } from '../../src/executions/lifecycle/statuses.js';
import type { LabPlan, LabStep, RunLab } from './run-lab.js';

/** How many hosts the labs of free plans have. */
export const HOSTS = 4;
/** Their names. */
export const NAMES = Array.from({ length: HOSTS }, (_, index) => `web-${index + 1}`);

/** Runs of plans in which each host goes its own way, and where each of them is. */
export interface FreeRuns {
  /** Shell text with which each host leaves its name behind. */
  mark: (file: string) => string;
  /** The command only on this host, by its number. */
  on: (host: number, command: string) => string;
  /** Starts a run; returns its id. */
  start: (steps: (LabStep | string)[], more?: LabPlan & { mode?: ExecutionMode }) => Promise<string>;
  /** Results as "step host status", sorted. */
  results: (id: string) => Promise<string[]>;
  /** Whether all of these are among the results. */
  hasAll: (id: string, wanted: string[]) => Promise<boolean>;
  /** Cancels the run that was started last where a test left it behind: it would hold the hosts of the next. */
  endLeft: () => Promise<void>;
}

/** @param lab is asked for at each use, so that it may be started later */
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
    async hasAll(id, wanted) {
      const found = await results(id);
      return wanted.every((each) => found.includes(each));
    },
    async endLeft() {
      const left = started && (await lab().get(started));
      if (!left || left.finished) return;
      await lab().api.post(`/api/executions/${left.id}/cancel`, {});
      await lab()
        .settled(left.id)
        .catch(() => undefined);
    },
  };
}
