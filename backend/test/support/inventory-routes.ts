import type { EnvironmentScene } from './environment-scene.js';
import { server, imported, enrolment, type EnvironmentRoute } from './environment-route.js';

const BULK = '/api/inventory/servers/bulk';
const FINGERPRINT = `SHA256:${'A'.repeat(43)}`;

export const inventoryRoutes = (own: EnvironmentScene): EnvironmentRoute[] => [
  {
    name: 'POST /inventory/servers environmentId',
    needs: 'operator',
    done: '409 duplicate_name',
    call: ({ api }, ids) =>
      api.post('/api/inventory/servers', {
        name: 'own-1',
        hostname: 'h',
        username: 'u',
        sshKeyId: own.keyId,
        environmentId: ids.environmentId,
      }),
  },
  {
    name: 'PATCH /inventory/servers/{id}',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.patch(server(ids), { tags: { a: 'b' } }),
  },
  {
    name: 'PATCH /inventory/servers/{id} environmentId',
    needs: 'operator',
    done: '412 version_mismatch',
    call: ({ api }, ids) =>
      api.patch(
        `/api/inventory/servers/${own.serverId}`,
        { environmentId: ids.environmentId },
        { 'if-match': '"999"' },
      ),
  },
  {
    name: 'DELETE /inventory/servers/{id}',
    needs: 'operator',
    done: '409 in_use',
    call: ({ api }, ids) => api.delete(server(ids)),
  },
  {
    name: 'POST /inventory/servers/{id}/check',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.post(`${server(ids)}/check`),
  },
  {
    name: 'POST /inventory/servers/{id}/diagnose',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.post(`${server(ids)}/diagnose`),
  },
  {
    name: 'PUT /inventory/servers/by-external-id/{source}/{externalId} environmentId',
    needs: 'operator',
    done: '409 duplicate_name',
    call: ({ api }, ids) =>
      api.put('/api/inventory/servers/by-external-id/cmdb/nobody-has-this', {
        name: 'own-1',
        hostname: 'h',
        username: 'u',
        sshKeyId: own.keyId,
        environmentId: ids.environmentId,
      }),
  },
  {
    name: 'POST /inventory/servers/bulk serverIds',
    needs: 'operator',
    done: '409 count_changed',
    seeing: true,
    call: ({ api }, ids) =>
      api.post(BULK, { serverIds: [ids.serverId], expectedCount: 0, action: 'change', enabled: true }),
  },
  {
    name: 'POST /inventory/servers/bulk filter',
    needs: 'operator',
    done: '409 count_changed',
    seeing: true,
    call: ({ api }, { environmentId }) =>
      api.post(BULK, { filter: { environmentId }, expectedCount: 9999, action: 'change', enabled: true }),
  },
  {
    name: 'POST /inventory/servers/bulk environmentId',
    needs: 'operator',
    done: '409 count_changed',
    call: ({ api }, { environmentId }) =>
      api.post(BULK, { serverIds: [own.serverId], expectedCount: 0, action: 'change', environmentId }),
  },
  {
    name: 'POST /inventory/servers/checks environmentId',
    needs: 'operator',
    done: '202',
    call: ({ api }, { environmentId }) => api.post('/api/inventory/servers/checks', { environmentId }),
  },
  {
    name: 'POST /inventory/servers/checks ids',
    needs: 'operator',
    done: '202',
    call: ({ api }, { serverId }) => api.post('/api/inventory/servers/checks', { ids: [serverId] }),
  },
  {
    name: 'POST /inventory/servers/import environmentId',
    needs: 'operator',
    done: '201',
    call: ({ api }, ids) =>
      api.post('/api/inventory/servers/import?preview=true', {
        format: 'ansible-ini',
        content: 'imported',
        environmentId: ids.environmentId,
      }),
  },
  {
    name: 'POST /inventory/enrolments environmentId',
    needs: 'operator',
    done: '201',
    call: ({ api }, { environmentId }) =>
      api.post('/api/inventory/enrolments', { environmentId, sshKeyId: own.keyId, username: 'deploy' }),
  },
  {
    name: 'DELETE /inventory/enrolments/{id}',
    needs: 'operator',
    done: '204',
    call: ({ api }, ids) => api.delete(enrolment(ids)),
  },
  {
    name: 'POST /inventory/imports/{id}/apply',
    needs: 'operator',
    done: '409 not_a_preview',
    call: ({ api }, ids) => api.post(`${imported(ids)}/apply`),
  },
  {
    name: 'PUT /inventory/servers/{id}/host-key/shared',
    needs: 'admin',
    done: '409 host_key_not_pinned',
    call: ({ api }, ids) => api.put(`${server(ids)}/host-key/shared`, { shared: true }),
  },
  {
    name: 'PUT /inventory/servers/{id}/host-keys',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.put(`${server(ids)}/host-keys`, { hostKeys: [] }),
  },
  {
    name: 'GET /inventory/servers/{id}/host-keys',
    needs: 'viewer',
    done: '200',
    seeing: true,
    call: ({ api }, ids) => api.get(`${server(ids)}/host-keys`),
  },
  {
    name: 'GET /inventory/servers/{id}/protection',
    needs: 'viewer',
    done: '200',
    seeing: true,
    call: ({ api }, ids) => api.get(`${server(ids)}/protection`),
  },
  {
    name: 'PUT /inventory/servers/{id}/protection',
    needs: 'operator',
    done: '409 not_protected',
    call: ({ api }, ids) => api.put(`${server(ids)}/protection`, { confirmed: true }),
  },
  {
    name: 'PUT /inventory/servers/{id}/host-key',
    needs: 'operator',
    done: '409 host_key_not_seen',
    call: ({ api }, ids) => api.put(`${server(ids)}/host-key`, { fingerprint: FINGERPRINT }),
  },
];
