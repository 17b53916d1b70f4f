import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apiOf, type Call } from './api.js';
import { type Fleet, startFleet } from './fleet.js';
import { registerFleet } from './fleet-in-runward.js';
import { closeContexts } from './open-contexts.js';
import { type Runward, startRunward } from './runward.js';

/** An empty Runward for one test, with hosts. */
export interface BareStage {
  runward: Runward;
  fleet: Fleet;
  /** Folder that the hosts' user can read: commands wait for files in it. */
  folder: string;
  letGo(file: string): Promise<void>;
  end(): Promise<void>;
}

/** Like `BareStage`, with all hosts registered (`web-1`, `web-2`, …) in one environment. */
export interface Stage extends BareStage {
  call: Call;
  environmentId: string;
  planOf(name: string, steps: object[], more?: object): Promise<string>;
  /** Starts a run of a plan and returns its ID. */
  startRun(planId: string, mode?: string): Promise<string>;
}

/**
 * Cleans up if it fails.
 * @param addresses one host for each
 * @param settings additional settings of Runward
 */
export async function startBareStage(addresses: string[], settings: NodeJS.ProcessEnv = {}): Promise<BareStage> {
  const folder = await mkdtemp(join(tmpdir(), 'runward-e2e-story-'));
  // The hosts' user is not the user of the tests.
  await chmod(folder, 0o755);
  const starting = [startRunward(settings), startFleet(addresses)] as const;
  const end = async (): Promise<void> => {
    await closeContexts();
    await Promise.allSettled([
      starting[0].then((runward) => runward.stop()),
      starting[1].then((fleet) => fleet.end()),
      rm(folder, { recursive: true, force: true }),
    ]);
  };
  try {
    const [runward, fleet] = await Promise.all(starting);
    return { runward, fleet, folder, letGo: (file) => writeFile(join(folder, file), ''), end };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Cleans up if it fails. @param environment name of the environment @param settings additional settings of Runward */
export async function startStage(
  addresses: string[],
  environment = 'staging',
  settings: NodeJS.ProcessEnv = {},
): Promise<Stage> {
  const bare = await startBareStage(addresses, settings);
  try {
    const call = await apiOf(bare.runward);
    const { id: environmentId } = await call('POST', '/api/environments', { name: environment });
    await registerFleet(call, bare.fleet, environmentId);
    return {
      ...bare,
      call,
      environmentId,
      planOf: async (name, steps, more = {}) =>
        (await call('POST', '/api/plans', { name, environmentId, steps, ...more })).id,
      startRun: async (planId, mode = 'auto') =>
        (await call('POST', '/api/executions', { planId, execution_mode: mode })).id,
    };
  } catch (error) {
    await bare.end();
    throw error;
  }
}
