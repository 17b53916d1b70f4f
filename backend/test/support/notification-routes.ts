import type { EnvironmentScene } from './environment-scene.js';
import { type Ids, read, type EnvironmentRoute } from './environment-route.js';

/**
 * Name of an existing schedule, webhook and notification rule. A duplicate name is refused only after all other
 * validations.
 */
export const TAKEN_NAME = 'taken';

const schedule = (ids: Ids) => `/api/schedules/${ids.scheduleId}`;

export const notificationRoutes = (own: EnvironmentScene): EnvironmentRoute[] => [
  read(schedule, '/schedules/{id}'),
  read((ids) => `${schedule(ids)}/fires`, '/schedules/{id}/fires'),
  {
    name: 'POST /schedules environmentId',
    needs: 'operator',
    done: '409 duplicate_name',
    call: ({ api }, { environmentId }) =>
      api.post('/api/schedules', {
        ...{
          name: TAKEN_NAME,
          planId: own.planId,
          execution_mode: 'auto',
          environmentId,
          everySeconds: 3600,
          enabled: false,
        },
      }),
  },
  {
    name: 'PATCH /schedules/{id}',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.patch(schedule(ids), { note: 'changed' }),
  },
  {
    name: 'DELETE /schedules/{id}',
    needs: 'operator',
    done: '412 version_mismatch',
    call: ({ api }, ids) => api.delete(schedule(ids), { 'if-match': '"999"' }),
  },
  {
    name: 'POST /schedules/{id}/take-over',
    needs: 'operator',
    done: '200',
    call: ({ api }, ids) => api.post(`${schedule(ids)}/take-over`),
  },
  {
    name: 'POST /webhooks environmentIds',
    needs: 'operator',
    done: '409 duplicate_name',
    seeing: true,
    call: ({ api }, { environmentId }) =>
      api.post('/api/webhooks', {
        ...{
          name: TAKEN_NAME,
          url: 'https://nobody.invalid',
          events: ['execution.finished'],
          environmentIds: [environmentId],
        },
      }),
  },
  {
    name: 'POST /notification-rules environmentIds',
    needs: 'operator',
    done: '409 duplicate_name',
    seeing: true,
    call: ({ api }, { environmentId }) =>
      api.post('/api/notification-rules', {
        ...{ name: TAKEN_NAME, channel: NTFY, events: ['execution.failed'], environmentIds: [environmentId] },
      }),
  },
];

export const NTFY = { type: 'ntfy', url: 'https://nobody.invalid', topic: 'runs' };
