import type { Answer } from './api-client.js';
import type { EnvironmentScene } from './environment-scene.js';
import { inventoryRoutes } from './inventory-routes.js';
import { notificationRoutes } from './notification-routes.js';
import { server, external, imported, enrolment, type Ids, read, type EnvironmentRoute } from './environment-route.js';

export interface RouteCaseRecords {
  url: string;
  /** Plan, SSH key and server that every member may use, for bodies that contain environment IDs. */
  own: EnvironmentScene;
  templateId: string;
  bystanderId: string;
}

const env = (ids: Ids) => `/api/environments/${ids.environmentId}`;
const run = (ids: Ids) => `/api/executions/${ids.runId}`;
const BODIES = { approve: { digest: 'a'.repeat(64) }, reject: { comment: 'no' }, 'withdraw-approval': undefined };

/** All routes with an environment ID in their path or body. */
export const environmentRoutes = ({ url, own, templateId, bystanderId }: RouteCaseRecords): EnvironmentRoute[] => [
  ...notificationRoutes(own),
  read(env, '/environments/{id}'),
  read((ids) => `${env(ids)}/permissions`, '/environments/{id}/permissions'),
  read((ids) => `${env(ids)}/variables`, '/environments/{id}/variables'),
  read((ids) => `${env(ids)}/variables/REGION`, '/environments/{id}/variables/{key}'),
  read((ids) => `/api/overview/environments/${ids.environmentId}`, '/overview/environments/{id}'),
  read((ids) => `/api/overview/servers/${ids.serverId}`, '/overview/servers/{id}'),
  read(server, '/inventory/servers/{id}'),
  read((ids) => `${server(ids)}/facts`, '/inventory/servers/{id}/facts'),
  read((ids) => `${server(ids)}/variables`, '/inventory/servers/{id}/variables'),
  read((ids) => `${server(ids)}/variables/REGION`, '/inventory/servers/{id}/variables/{key}'),
  read(external, '/inventory/servers/by-external-id/{source}/{externalId}'),
  read(imported, '/inventory/imports/{id}'),
  read(enrolment, '/inventory/enrolments/{id}'),
  read((ids) => `${imported(ids)}/entries`, '/inventory/imports/{id}/entries'),
  read(run, '/executions/{id}'),
  read((ids) => `${run(ids)}?wait=1&until=change&version=0`, '/executions/{id}?wait'),
  read((ids) => `${run(ids)}/results`, '/executions/{id}/results'),
  read((ids) => `${run(ids)}/results/grid`, '/executions/{id}/results/grid'),
  read((ids) => `${run(ids)}/inherited-results`, '/executions/{id}/inherited-results'),
  read((ids) => `${run(ids)}/failure-causes`, '/executions/{id}/failure-causes'),
  read((ids) => `${run(ids)}/predictions`, '/executions/{id}/predictions'),
  read((ids) => `${run(ids)}/usual-duration`, '/executions/{id}/usual-duration'),
  read((ids) => `${run(ids)}/permissions`, '/executions/{id}/permissions'),
  read((ids) => `${run(ids)}/decisions`, '/executions/{id}/decisions'),
  read((ids) => `${run(ids)}/output`, '/executions/{id}/output'),
  read((ids) => `${run(ids)}/output/window`, '/executions/{id}/output/window'),
  read((ids) => `${run(ids)}/output/hits?q=x`, '/executions/{id}/output/hits'),
  read((ids) => `${run(ids)}/output/hits/counts?q=x`, '/executions/{id}/output/hits/counts'),
  {
    ...read(run, '/executions/{id}/output as text'),
    call: ({ api }, ids) => api.get(`${run(ids)}/output`, { accept: 'text/plain' }),
  },
  { ...read(run, '/executions/{id}/stream'), call: (by, ids) => openStream(`${url}${run(ids)}/stream`, by.token) },
  read(
    (ids) => `/api/plans/${own.planId}/variables?environmentId=${ids.environmentId}`,
    '/plans/{id}/variables?environmentId',
  ),
  {
    ...read(env, ''),
    name: 'POST /plans/{id}/targets environmentId',
    call: ({ api }, ids) => api.post(`/api/plans/${own.planId}/targets`, { environmentId: ids.environmentId }),
  },
  {
    ...read(env, ''),
    name: 'POST /templates/{id}/render environmentId',
    call: ({ api }, ids) => api.post(`/api/templates/${templateId}/render`, { environmentId: ids.environmentId }),
  },
  {
    ...read(env, ''),
    name: 'POST /templates/render environmentId',
    call: ({ api }, ids) => api.post('/api/templates/render', { content: 'x', environmentId: ids.environmentId }),
  },
  {
    name: 'PATCH /environments/{id}',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.patch(env(ids), { description: 'changed' }),
  },
  {
    name: 'DELETE /environments/{id}',
    needs: 'operator',
    done: '409 in_use',
    call: ({ api }, ids) => api.delete(env(ids)),
  },
  read((ids) => `${env(ids)}/protection-changes`, '/environments/{id}/protection-changes'),
  {
    name: 'POST /environments/{id}/protection-changes',
    needs: 'admin',
    done: '400 invalid_request',
    call: ({ api }, ids) => api.post(`${env(ids)}/protection-changes`, { reason: 1 }),
  },
  ...(['agree', 'reject'] as const).map(
    (what): EnvironmentRoute => ({
      name: `POST /environments/{id}/protection-changes/{changeId}/${what}`,
      needs: 'viewer',
      done: '400 invalid_request',
      seeing: true,
      call: ({ api }, ids) => api.post(`${env(ids)}/protection-changes/${ids.environmentId}/${what}`, { comment: 1 }),
    }),
  ),
  read((ids) => `${env(ids)}/departed-servers`, '/environments/{id}/departed-servers'),
  ...(['release', 'keep'] as const).map(
    (what): EnvironmentRoute => ({
      name: `POST /environments/{id}/departed-servers/{departureId}/${what}`,
      needs: 'viewer',
      done: '404 not_found',
      seeing: true,
      call: ({ api }, ids) => api.post(`${env(ids)}/departed-servers/${ids.environmentId}/${what}`, {}),
    }),
  ),
  {
    name: 'PUT /environments/{id}/variables/{key}',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.put(`${env(ids)}/variables/ZONE`, { value: 'a' }),
  },
  {
    name: 'DELETE /environments/{id}/variables/{key}',
    needs: 'operator',
    done: '412 version_mismatch',
    call: ({ api }, ids) => api.delete(`${env(ids)}/variables/REGION`, { 'if-match': '"999"' }),
  },
  {
    name: 'PUT /inventory/servers/{id}/variables/{key}',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.put(`${server(ids)}/variables/ZONE`, { value: 'a' }),
  },
  {
    name: 'DELETE /inventory/servers/{id}/variables/{key}',
    needs: 'operator',
    done: '412 version_mismatch',
    call: ({ api }, ids) => api.delete(`${server(ids)}/variables/REGION`, { 'if-match': '"999"' }),
  },
  {
    name: 'GET /environments/{id}/grants',
    needs: 'admin',
    done: '200',
    call: ({ api }, ids) => api.get(`${env(ids)}/grants`),
  },
  {
    name: 'PUT /environments/{id}/grants/{userId}',
    needs: 'admin',
    done: '412 version_mismatch',
    call: ({ api }, ids) => api.put(`${env(ids)}/grants/${bystanderId}`, { level: 'view' }, { 'if-match': '"999"' }),
  },
  {
    name: 'DELETE /environments/{id}/grants/{userId}',
    needs: 'admin',
    done: '404 not_found',
    call: ({ api }, ids) => api.delete(`${env(ids)}/grants/${bystanderId}`),
  },
  ...inventoryRoutes(own),
  {
    name: 'POST /plans environmentId',
    needs: 'operator',
    done: '409 duplicate_name',
    seeing: true,
    call: ({ api }, ids) =>
      api.post('/api/plans', {
        name: 'own plan',
        environmentId: ids.environmentId,
        steps: [{ key: 'a', command: 'true' }],
      }),
  },
  {
    name: 'POST /plans/import environmentId',
    needs: 'operator',
    done: '200',
    seeing: true,
    call: ({ api }, ids) =>
      api.post('/api/plans/import', {
        content: 'name: imported\nsteps: [{key: a, command: "true"}]\n',
        environmentId: ids.environmentId,
        preview: true,
      }),
  },
  {
    name: 'PATCH /plans/{id} environmentId',
    needs: 'operator',
    done: '412 version_mismatch',
    seeing: true,
    call: ({ api }, ids) =>
      api.patch(`/api/plans/${own.planId}`, { environmentId: ids.environmentId }, { 'if-match': '"999"' }),
  },
  {
    name: 'POST /executions environmentId',
    needs: 'operator',
    done: '409 run_overlap',
    call: ({ api }, ids) =>
      api.post('/api/executions', { planId: own.planId, execution_mode: 'auto', environmentId: ids.environmentId }),
  },
  {
    name: 'POST /executions/cancel environmentId',
    needs: 'admin',
    done: '400 invalid_request',
    call: ({ api }, ids) => api.post('/api/executions/cancel', { environmentId: ids.environmentId, status: [] }),
  },
  {
    name: 'POST /executions/{id}/cancel',
    needs: 'operator',
    done: '400 invalid_request',
    call: ({ api }, ids) => api.post(`${run(ids)}/cancel`, { reason: 1 }),
  },
  read((ids) => `${run(ids)}/review`, '/executions/{id}/review'),
  read((ids) => `${run(ids)}/comparison`, '/executions/{id}/comparison'),
  read((ids) => `${run(ids)}/comparison/hosts`, '/executions/{id}/comparison/hosts'),
  ...(['approve', 'reject', 'withdraw-approval'] as const).map(
    (what): EnvironmentRoute => ({
      name: `POST /executions/{id}/${what}`,
      needs: 'viewer',
      done: '409 not_waiting',
      seeing: true,
      approving: what !== 'withdraw-approval',
      call: ({ api }, ids) => api.post(`${run(ids)}/${what}`, BODIES[what]),
    }),
  ),
  {
    name: 'POST /executions/{id}/decisions',
    needs: 'operator',
    done: '409 not_waiting',
    call: ({ api }, ids) => api.post(`${run(ids)}/decisions`, { stepKey: 'one', action: 'proceed' }),
  },
  {
    name: 'POST /executions/{id}/freeze-override',
    needs: 'admin',
    done: '409 not_frozen',
    call: ({ api }, ids) => api.post(`${run(ids)}/freeze-override`, { reason: 'agreed' }),
  },
  {
    name: 'POST /executions/{id}/window-override',
    needs: 'admin',
    done: '409 not_held',
    call: ({ api }, ids) => api.post(`${run(ids)}/window-override`, { reason: 'agreed' }),
  },
  {
    name: 'POST /executions/{id}/pause',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.post(`${run(ids)}/pause`),
  },
  {
    name: 'POST /executions/{id}/mode',
    needs: 'operator',
    done: '409 not_possible_now',
    call: ({ api }, ids) => api.post(`${run(ids)}/mode`, { execution_mode: 'auto' }),
  },
  {
    name: 'PUT /executions/{id}/pin',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.put(`${run(ids)}/pin`, {}),
  },
  {
    name: 'DELETE /executions/{id}/pin',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.delete(`${run(ids)}/pin`),
  },
  {
    name: 'DELETE /executions/{id}',
    needs: 'admin',
    done: '409 not_finished',
    call: ({ api }, ids) => api.delete(run(ids)),
  },
  {
    name: 'PUT /retention/environments/{id}',
    needs: 'admin',
    done: '200',
    call: ({ api }, ids) => api.put(`/api/retention/environments/${ids.environmentId}`, {}),
  },
  {
    name: 'DELETE /retention/environments/{id}',
    needs: 'admin',
    done: '204',
    call: ({ api }, ids) => api.delete(`/api/retention/environments/${ids.environmentId}`),
  },
  {
    name: 'POST /retention/preview environmentId',
    needs: 'admin',
    done: '200',
    call: ({ api }, ids) => api.post('/api/retention/preview', { environmentId: ids.environmentId }),
  },
  {
    name: 'POST /executions/{id}/rerun',
    needs: 'operator',
    done: '409 not_finished',
    call: ({ api }, ids) => api.post(`${run(ids)}/rerun`, { hosts: 'all', snapshot: 'same' }),
  },
  {
    name: 'POST /executions/{id}/rerun/preview',
    needs: 'operator',
    done: '409 not_finished',
    call: ({ api }, ids) => api.post(`${run(ids)}/rerun/preview`, { hosts: 'all', snapshot: 'same' }),
  },
  {
    name: 'POST /executions/{id}/hosts/{serverId}/resolve',
    needs: 'operator',
    done: '409 not_finished',
    call: ({ api }, ids) =>
      api.post(`${run(ids)}/hosts/${ids.serverId}/resolve`, { stepKey: 'one', action: 'mark_failed' }),
  },
];

/** Opens a stream, and closes it after the response headers. */
async function openStream(url: string, token: string): Promise<Answer> {
  const stop = new AbortController();
  const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, signal: stop.signal });
  const open = response.status === 200;
  const text = open ? '' : await response.text();
  stop.abort();
  return { status: response.status, headers: response.headers, body: open ? {} : JSON.parse(text), text };
}
