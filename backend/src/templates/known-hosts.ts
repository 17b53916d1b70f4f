import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { VariableValue } from '../common/variables/variable-value.js';
import type { TemplateFacts } from './rendering/template-request.js';

/** A server as far as templates may look at it. */
export interface KnownHost extends NonNullable<TemplateFacts['host']> {
  /** What the server gives itself; null for a secret. */
  readonly variables: Readonly<Record<string, VariableValue | null>>;
}

/** Tells what templates may use of a server. */
export interface KnownHosts {
  /** The server if it is in that environment and the caller may see it. */
  visible(tx: EntityManager, caller: Principal, serverId: string, environmentId: string): Promise<KnownHost | null>;
}

/** Injection token of the `KnownHosts`; the room `inventory` answers it. */
export const KNOWN_HOSTS = Symbol('known-hosts');
