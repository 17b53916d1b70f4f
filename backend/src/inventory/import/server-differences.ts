import { type PinnedKey, pinsOf } from '../../transport/keys/pinned-key.js';
import type { Server } from '../server.entity.js';
import type { FieldChange } from './import-record.js';
import { toldChanges, type Variables } from './variable-changes.js';

/** What an import stores of a server. */
export interface ServerContent {
  name: string;
  hostname: string;
  port: number;
  username: string;
  sshKeyId: string;
  environmentId: string;
  tags: Record<string, string>;
  enabled: boolean;
  externalSource: string | null;
  externalId: string | null;
  hostKeys: readonly PinnedKey[];
  /** Plain variables that it has or gets, by name. */
  variables: Variables;
}

export const contentOf = (server: Server, variables: ServerContent['variables'] = {}): ServerContent => ({
  name: server.name,
  hostname: server.hostname,
  port: server.port,
  username: server.username,
  sshKeyId: server.sshKeyId,
  environmentId: server.environmentId,
  tags: server.tags,
  enabled: server.enabled,
  externalSource: server.externalSource,
  externalId: server.externalId,
  hostKeys: pinsOf(server),
  variables,
});

const toldPin = ({ type, fingerprint, authority }: PinnedKey): string =>
  `${authority ? '@cert-authority ' : ''}${type} ${fingerprint}`;

/** How each field is told; the key never changes by an import. */
const WORDS: {
  [F in Exclude<keyof ServerContent, 'sshKeyId' | 'variables'>]: (value: ServerContent[F]) => string | null;
} = {
  name: (name) => name,
  hostname: (hostname) => hostname,
  port: String,
  username: (username) => username,
  environmentId: (id) => id,
  tags: (tags) => {
    const words = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
    return words.length === 0 ? null : words.sort().join(', ');
  },
  enabled: (enabled) => (enabled ? 'yes' : 'no'),
  externalSource: (source) => source,
  externalId: (id) => id,
  hostKeys: (keys) => keys.map(toldPin).join(', ') || null,
};

/**
 * Field by field what differs; all that is set where there is no server yet.
 * @param nameOf of an environment
 */
export function differences(
  before: ServerContent | null,
  after: ServerContent,
  nameOf: (environmentId: string) => string,
): FieldChange[] {
  const fields = (Object.keys(WORDS) as (keyof typeof WORDS)[]).flatMap((field) => {
    const told = (content: ServerContent | null) =>
      content && (WORDS[field] as (value: unknown) => string | null)(content[field]);
    const change =
      field === 'environmentId'
        ? { field: 'environment', before: before && nameOf(before.environmentId), after: nameOf(after.environmentId) }
        : { field, before: told(before), after: told(after) };
    return change.before === change.after ? [] : [change];
  });
  return [...fields, ...toldChanges(before?.variables ?? {}, after.variables)];
}
