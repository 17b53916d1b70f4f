import type { ApiClient } from './api-client.js';

/** Overrides, as an admin, the protection of hosts whose servers left the environment. */
export async function releaseHosts(api: ApiClient, environmentId: string): Promise<void> {
  const path = `/api/environments/${environmentId}/departed-servers`;
  const { items } = (await api.get<{ items: { id: string }[] }>(path)).body;
  for (const { id } of items) {
    const { status, text } = await api.post(`${path}/${id}/release`, { override: true, reason: 'a wrong claim' });
    if (status !== 204) throw new Error(`The host was not released: ${text}`);
  }
}
