import type { CreateServerRequest, ImportEntry } from '../../../../api/types';

export interface ChangeText {
  field: string;
  /** Null: no previous value. */
  before: string | null;
  /** Null: the value is removed. */
  after: string | null;
}

/** Fields of servers that imports do not change, or that changes name differently. */
type UnlistedField = 'sshKeyId' | 'hostKey' | 'jumpServerId' | 'confirmHosts';
type ListedField = Exclude<keyof CreateServerRequest, UnlistedField> | 'jumpServer';

const FIELD_LABELS: Record<ListedField, string> = {
  name: 'name',
  hostname: 'address',
  port: 'port',
  username: 'login',
  environmentId: 'environment',
  tags: 'tags',
  enabled: 'enabled',
  externalSource: 'source',
  externalId: 'external ID',
  hostKeys: 'host keys',
  jumpServer: 'jump server',
  legacyAlgorithms: 'legacy algorithms',
  loginTimeoutSeconds: 'login timeout',
};

const isListed = (field: string): field is ListedField => Object.hasOwn(FIELD_LABELS, field);

/** Rules for values of a new server that are defaults, and therefore not listed. */
const DEFAULT_VALUE_RULES: Record<string, (entry: ImportEntry, after: string | null) => boolean> = {
  name: ({ name }, after) => after === name,
  port: (_, after) => after === '22',
  enabled: (_, after) => after === 'yes',
  environmentId: () => true,
  environment: () => true,
  externalSource: () => true,
  externalId: ({ name }, after) => after === name,
};

/** Returns the changes of an entry, with names instead of IDs. For a new server, defaults are omitted. */
export function changeTexts(entry: ImportEntry, environmentName: (id: string) => string): ChangeText[] {
  const named = (field: string, value: string | null) =>
    field === 'environmentId' && value !== null ? environmentName(value) : value;
  return entry.changes
    .filter(({ field, after }) => entry.action !== 'create' || !DEFAULT_VALUE_RULES[field]?.(entry, after))
    .map(({ field, before, after }) => ({
      field: isListed(field) ? FIELD_LABELS[field] : field,
      before: named(field, before),
      after: named(field, after),
    }));
}
