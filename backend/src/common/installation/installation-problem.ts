import type { EntityManager } from 'typeorm';
import { Problem } from '../errors/problem.js';
import { type InstallationState, readInstallation, stateText } from './installation-state.js';

const RETRY_AFTER_SECONDS = '60';

export const stoppedProblem = (state: Pick<InstallationState, 'state' | 'cause' | 'reason'>): Problem =>
  new Problem(state.state === 'draining' ? 'installation_draining' : 'installation_held', stateText(state), {
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
  });

export async function installationStopped(tx: EntityManager): Promise<Problem> {
  const state = await readInstallation(tx);
  return stoppedProblem(state ?? { state: 'held', cause: 'person', reason: null });
}
