import type { Role } from '../../src/common/access/principal.js';
import type { Answer } from './api-client.js';
import type { EnvironmentScene } from './environment-scene.js';
import type { TestMember } from './installation.js';

/** IDs of an existing scene, or random ones. */
export type Ids = EnvironmentScene & { runId: string; importId: string; enrolmentId: string; scheduleId: string };

/** A route that refers to an environment in path or body. */
export interface EnvironmentRoute {
  /** Method and path of the OpenAPI document, followed by the IDs in the body. */
  name: string;
  needs: Role;
  /** Expected status, and code if any, for a permitted caller. */
  done: string;
  /** Whether visibility of the environment is enough, given the role. */
  seeing?: boolean;
  call(by: TestMember, ids: Ids): Promise<Answer>;
}

export const read = (path: (ids: Ids) => string, name: string): EnvironmentRoute => ({
  name: `GET ${name}`,
  needs: 'viewer',
  done: '200',
  seeing: true,
  call: ({ api }, ids) => api.get(path(ids)),
});

export const server = (ids: Ids) => `/api/inventory/servers/${ids.serverId}`;
/** External ID = server ID, in the system `cmdb`. */
export const external = (ids: Ids) => `/api/inventory/servers/by-external-id/cmdb/${ids.serverId}`;
export const imported = (ids: Ids) => `/api/inventory/imports/${ids.importId}`;
export const enrolment = (ids: Ids) => `/api/inventory/enrolments/${ids.enrolmentId}`;
