import type { EnvironmentView } from '../../src/environments/environments.view.js';
import { findWeakening } from '../../src/environments/protection/weakening.js';
import type { Answer, ApiClient } from './api-client.js';

/** Changes an environment as an admin. Overrides the delay for weaker protection. @param environment ID or API path */
export async function changePolicy(
  api: ApiClient,
  environment: string,
  changes: Record<string, unknown>,
): Promise<Answer<EnvironmentView>> {
  const path = environment.startsWith('/') ? environment : `/api/environments/${environment}`;
  const before = (await api.get<EnvironmentView>(path)).body;
  const weakenedSettings = findWeakening(before, changes);
  const settings = Object.fromEntries(Object.entries(weakenedSettings).map(([setting, { to }]) => [setting, to]));
  if (Object.keys(settings).length > 0) {
    const request = { reason: 'The test needs it.', override: true, settings };
    const answer = await api.post(`${path}/protection-changes`, request);
    if (answer.status !== 201) throw new Error(`The override was refused: ${answer.text}`);
  }
  const others = Object.fromEntries(Object.entries(changes).filter(([field]) => !(field in settings)));
  return Object.keys(others).length > 0 ? api.patch<EnvironmentView>(path, others) : api.get<EnvironmentView>(path);
}
