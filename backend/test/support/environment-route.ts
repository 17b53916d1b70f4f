import type { Role } from '../../src/common/access/principal.js';
import type { Answer } from './api-client.js';
import type { EnvironmentScene } from './environment-scene.js';
import type { TestMember } from './installation.js';

/** IDs of an existing scene, or random IDs. */
export type Ids = EnvironmentScene & { runId: string; importId: string; enrolmentId: string; scheduleId: string };

/** Route with an environment ID in its path or body. */
export interface EnvironmentRoute {
  /** Method and path of the OpenAPI document, followed by the IDs in the body. */
  name: string;
  needs: Role;
  /** Expected status for a permitted caller, followed by the error code, if any. */
  done: string;
  /** Whether a caller with the role needs only to see the environment. */
  seeing?: boolean;
  /** Whether a caller with the role needs the grant `approve`. */
  approving?: boolean;
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
/** The external ID equals the server ID, in the system `cmdb`. */
export const external = (ids: Ids) => `/api/inventory/servers/by-external-id/cmdb/${ids.serverId}`;
export const imported = (ids: Ids) => `/api/inventory/imports/${ids.importId}`;
export const enrolment = (ids: Ids) => `/api/inventory/enrolments/${ids.enrolmentId}`;
