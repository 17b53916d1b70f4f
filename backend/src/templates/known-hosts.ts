import type { EntityManager } from 'typeorm';
import type { Principal } from '../common/access/principal.js';
import type { VariableValue } from '../variables/variable-value.js';
import type { TemplateFacts } from './rendering/template-request.js';

/** Server fields that templates may use. */
export interface KnownHost extends NonNullable<TemplateFacts['host']> {
  /** Variables of the server; null for a secret. */
  readonly variables: Readonly<Record<string, VariableValue | null>>;
}

export interface KnownHosts {
  /** Returns the server; null: it is not in the environment, or the caller cannot see it. */
  visible(tx: EntityManager, caller: Principal, serverId: string, environmentId: string): Promise<KnownHost | null>;
}

/** Injection token of {@link KnownHosts}, which the module `inventory` provides. */
export const KNOWN_HOSTS = Symbol('known-hosts');
