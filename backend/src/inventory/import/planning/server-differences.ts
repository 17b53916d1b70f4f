import type { PinnedKey } from '../../../transport/keys/pinned-key.js';
import type { Server } from '../../fields/server.entity.js';
import { mapSettings, getSettingSpec, type ServerSetting } from '../../fields/server-settings.js';
import type { FieldChange } from '../orders/import-record.js';
import type { ServerContent } from './server-content.js';
import { formatVariableChanges } from './variable-changes.js';

const formatPin = ({ type, fingerprint, authority }: PinnedKey): string =>
  `${authority ? '@cert-authority ' : ''}${type} ${fingerprint}`;

export interface ReferenceNames {
  environment: (id: string) => string;
  jumpServer: (id: string) => string;
}

const FIELD_NAMES: Partial<Record<keyof ServerContent, string>> = {
  environmentId: 'environment',
  jumpServerId: 'jumpServer',
};

const createSettingFormatter = <S extends ServerSetting>(setting: S) => {
  const { format, default: usual } = getSettingSpec(setting);
  return (value: Server[S]) => (value === usual ? null : format(value));
};

const SETTING_FORMATTERS = mapSettings(createSettingFormatter) as {
  [S in ServerSetting]: (value: Server[S]) => string | null;
};

/** Display text of each field. The SSH key is missing, because imports never change it. */
const FIELD_FORMATTERS: {
  [F in Exclude<keyof ServerContent, 'sshKeyId' | 'variables'>]: (
    value: ServerContent[F],
    names: ReferenceNames,
  ) => string | null;
} = {
  name: (name) => name,
  hostname: (hostname) => hostname,
  port: String,
  username: (username) => username,
  environmentId: (id, { environment }) => environment(id),
  tags: (tags) => {
    const words = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
    return words.length === 0 ? null : words.sort().join(', ');
  },
  enabled: (enabled) => (enabled ? 'yes' : 'no'),
  externalSource: (source) => source,
  externalId: (id) => id,
  jumpServerId: (id, { jumpServer }) => id && jumpServer(id),
  ...SETTING_FORMATTERS,
  hostKeys: (keys) => keys.map(formatPin).sort().join(', ') || null,
};

/** Returns the changed fields; for a new server, all set fields. */
export function listFieldChanges(
  before: ServerContent | null,
  after: ServerContent,
  names: ReferenceNames,
): FieldChange[] {
  const fields = (Object.keys(FIELD_FORMATTERS) as (keyof typeof FIELD_FORMATTERS)[]).flatMap((field) => {
    const toDisplayedContent = (content: ServerContent | null) =>
      content &&
      (FIELD_FORMATTERS[field] as (value: unknown, names: ReferenceNames) => string | null)(content[field], names);
    const change = {
      field: FIELD_NAMES[field] ?? field,
      before: toDisplayedContent(before),
      after: toDisplayedContent(after),
    };
    return change.before === change.after ? [] : [change];
  });
  return [...fields, ...formatVariableChanges(before?.variables ?? {}, after.variables)];
}
