import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { TemplateFacts } from './rendering/template-request.js';

/** Tells what templates may use of a server. */
export interface KnownHosts {
  /** The server if it is in that environment and the caller may see it. */
  visible(
    tx: EntityManager,
    caller: Principal,
    serverId: string,
    environmentId: string,
  ): Promise<TemplateFacts['host'] | null>;
}

/** Injection token of the `KnownHosts`; the room `inventory` answers it. */
export const KNOWN_HOSTS = Symbol('known-hosts');
