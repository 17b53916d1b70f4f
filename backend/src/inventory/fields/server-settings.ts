import { MAX_LOGIN_TIMEOUT_SECONDS, MIN_LOGIN_TIMEOUT_SECONDS } from '../../transport/connection/login-timeout.ts';
import type { Server } from './server.entity.ts';

/**
 * Kinds of server columns.
 * - `host`: decides which machine is reached and how it proves its identity. In a protected environment, a change needs
 *   `approve`.
 * - `place`: the environment. Leaving a protected environment needs `approve`.
 * - `login`: how Runward signs in to the machine.
 * - `label`: names and tags for people, external systems and selectors.
 * - `observed`: written only by checks and runs.
 * - `record`: bookkeeping; a request never sets it.
 */
export type ColumnKind = 'host' | 'place' | 'login' | 'label' | 'observed' | 'record';

/** Values that a setting accepts. An integer setting also accepts null. */
type SettingType = { type: 'boolean' } | { type: 'integer'; min: number; max: number; unit: string };

type ServerSettingSpec<T> = SettingType & {
  kind: 'host' | 'login';
  /** Column in `servers` and in `execution_hosts`. There, null is the default. */
  column: string;
  default: T;
  /** Name in messages about a refused change. */
  label: string;
  /** For the kind `host`: whether the change needs `approve` in a protected environment; absent: each change does. */
  needsApproval?: (before: T, after: T) => boolean;
  /** Value in the changes of imports and bulk changes; null: no value. */
  format: (value: T) => string | null;
  /**
   * Text for a run with another value than an earlier run. `none`: reason why the value changes neither what runs nor
   * where. Such a setting is not part of the digest of a run, and who changed it may approve the run.
   */
  runs: { describe: (value: T) => string } | { none: string };
};

/**
 * Optional settings of a connection with plain values. Columns, defaults, reading, copying, comparing and freezing of a
 * setting derive from its entry. `docs/development.md` describes how to add one.
 */
export const SERVER_SETTINGS = {
  legacyAlgorithms: {
    kind: 'host',
    column: 'legacy_algorithms',
    type: 'boolean',
    default: false,
    label: 'legacy algorithms',
    // Forbidding them only makes the identification of the host stronger.
    needsApproval: (before, after) => after && !before,
    format: (allowed) => (allowed ? 'yes' : 'no'),
    runs: { describe: (allowed) => `legacy algorithms ${allowed ? 'allowed' : 'no longer allowed'}` },
  },
  loginTimeoutSeconds: {
    kind: 'login',
    column: 'login_timeout_seconds',
    type: 'integer',
    min: MIN_LOGIN_TIMEOUT_SECONDS,
    max: MAX_LOGIN_TIMEOUT_SECONDS,
    unit: 'seconds',
    default: null,
    label: 'login timeout',
    format: (seconds) => (seconds === null ? null : `${seconds} s`),
    runs: { none: 'a time limit changes neither what runs nor where' },
  },
} as const satisfies { [S in keyof Server]?: ServerSettingSpec<Server[S]> };

export type ServerSetting = keyof typeof SERVER_SETTINGS;
export type ServerSettings = Pick<Server, ServerSetting>;
export type IntegerSetting = {
  [S in ServerSetting]: (typeof SERVER_SETTINGS)[S]['type'] extends 'integer' ? S : never;
}[ServerSetting];

export const formatSettingRange = ({ min, max, unit }: { min: number; max: number; unit: string }): string =>
  `null or a whole number from ${min} to ${max} ${unit}`;

/** Same entries, with a type that code for any setting can use. */
const SPECS: { readonly [S in ServerSetting]: ServerSettingSpec<Server[S]> } = SERVER_SETTINGS;

export const SETTING_NAMES = Object.keys(SERVER_SETTINGS) as ServerSetting[];

export const isSetting = (column: string): column is ServerSetting => column in SERVER_SETTINGS;

export const getSettingSpec = <S extends ServerSetting>(setting: S): ServerSettingSpec<Server[S]> => SPECS[setting];

export const mapSettings = <T>(toValue: (setting: ServerSetting) => T): Record<ServerSetting, T> =>
  Object.fromEntries(SETTING_NAMES.map((setting) => [setting, toValue(setting)])) as Record<ServerSetting, T>;

/** Returns the settings, with the default for each that is missing. */
export const completeSettings = (values: { readonly [S in ServerSetting]?: Server[S] | null | undefined }) =>
  mapSettings((setting) => values[setting] ?? SPECS[setting].default) as ServerSettings;

export const omitDefaultSettings = (values: ServerSettings): Partial<ServerSettings> =>
  Object.fromEntries(
    Object.entries(mapSettings((setting) => values[setting])).filter(
      ([setting, value]) => value !== SPECS[setting as ServerSetting].default,
    ),
  );

/** Returns whether the setting decides what a run does, or where; see `runs` of its entry. */
export const isPartOfDigest = (setting: ServerSetting): boolean => 'describe' in SPECS[setting].runs;

/** Describes the settings of a connection in comparisons of runs. @param before null = the defaults */
export const describeSettingChanges = (before: ServerSettings | null, now: ServerSettings): string[] =>
  SETTING_NAMES.flatMap((setting) => describeSettingChange(setting, before, now));

function describeSettingChange<S extends ServerSetting>(
  setting: S,
  before: Pick<Server, S> | null,
  now: Pick<Server, S>,
): string[] {
  const { runs, default: usual } = getSettingSpec(setting);
  const isChanged = now[setting] !== (before ? before[setting] : usual);
  return isChanged && 'describe' in runs ? [runs.describe(now[setting])] : [];
}
