import type { EntityManager } from 'typeorm';
import { Problem } from '../errors/problem.js';
import { type InstallationState, readInstallationState, describeState } from './installation-state.js';

const RETRY_AFTER_SECONDS = '60';

export const createStoppedProblem = (state: Pick<InstallationState, 'state' | 'cause' | 'reason'>): Problem =>
  new Problem(state.state === 'draining' ? 'installation_draining' : 'installation_held', describeState(state), {
    headers: { 'Retry-After': RETRY_AFTER_SECONDS },
  });

export async function readStoppedProblem(tx: EntityManager): Promise<Problem> {
  const state = await readInstallationState(tx);
  return createStoppedProblem(state ?? { state: 'held', cause: 'person', reason: null });
}
