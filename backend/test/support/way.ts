import type { Role } from '../../src/common/access/principal.js';
import type { Answer } from './api-client.js';
import type { EnvironmentScene } from './environment-scene.js';
import type { TestMember } from './installation.js';

/** The ids that a route is tried with: those of a real scene, or random ones. */
export type Ids = EnvironmentScene & { runId: string; importId: string; enrolmentId: string; scheduleId: string };

/** A route that touches an environment, by its path or by its body. */
export interface Way {
  /** Method and path as the OpenAPI document has them; ids in bodies behind a blank. */
  name: string;
  needs: Role;
  /** For whoever may: status, and the code when there is one. */
  done: string;
  /** Whether seeing is enough once the role is. */
  seeing?: boolean;
  call(by: TestMember, ids: Ids): Promise<Answer>;
}

export const read = (path: (ids: Ids) => string, name: string): Way => ({
  name: `GET ${name}`,
  needs: 'viewer',
  done: '200',
  seeing: true,
  call: ({ api }, ids) => api.get(path(ids)),
});

export const server = (ids: Ids) => `/api/inventory/servers/${ids.serverId}`;
/** Its outside system calls each server by the id that it has here. */
export const external = (ids: Ids) => `/api/inventory/servers/by-external-id/cmdb/${ids.serverId}`;
export const imported = (ids: Ids) => `/api/inventory/imports/${ids.importId}`;
export const enrolment = (ids: Ids) => `/api/inventory/enrolments/${ids.enrolmentId}`;
