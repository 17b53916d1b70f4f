import type { Environment } from './environment.entity.js';
import type { UpdateEnvironmentRequest } from './environments.dto.js';
import { DEFAULT_DELAY_SECONDS } from './protection/protection-bounds.js';
import type { ProtectionSetting } from './protection/weakening.js';

type WritableColumn = Exclude<keyof Environment, 'id' | 'tenantId' | 'createdAt' | 'updatedAt' | 'version'>;
type EnvironmentField = keyof UpdateEnvironmentRequest | WritableColumn;

export type EnvironmentSettings = Pick<Environment, Exclude<WritableColumn, 'name' | 'description'>>;

/** Settings of an environment and their defaults. Only admins may send them. */
export const SETTING_DEFAULTS: Readonly<EnvironmentSettings> = {
  access: 'open',
  protected: false,
  requiredApprovals: 1,
  allowSelfApproval: false,
  approvalTtlSeconds: 86_400,
  unknownAuthors: 'show',
  protectionDelaySeconds: DEFAULT_DELAY_SECONDS,
  allowedModes: [],
  hostJournal: true,
  checkIntervalSeconds: null,
  runWindows: null,
};

export const ADMIN_ONLY_FIELDS = Object.keys(SETTING_DEFAULTS) as (keyof EnvironmentSettings)[];

/** Returns the settings, with the default for each that is missing. */
export const completeSettings = (
  values: {
    readonly [S in keyof EnvironmentSettings]?: EnvironmentSettings[S] | null | undefined;
  },
): EnvironmentSettings =>
  Object.fromEntries(
    Object.entries(SETTING_DEFAULTS).map(([name, usual]) => [name, values[name as keyof EnvironmentSettings] ?? usual]),
  ) as unknown as EnvironmentSettings;

interface EnvironmentFieldRule {
  people: boolean;
}
interface UncheckedFieldRule extends EnvironmentFieldRule {
  /** Why no value of the field makes approval easier. */
  never: string;
}

/**
 * Whether machines may change each field of an environment, and whether a change can weaken the protection (no
 * `never`). A field that is missing here is a compile error.
 */
export const FIELD_RULES: Readonly<
  Record<ProtectionSetting, EnvironmentFieldRule & { people: true }> &
    Record<Exclude<EnvironmentField, ProtectionSetting>, UncheckedFieldRule>
> = {
  protected: { people: true },
  requiredApprovals: { people: true },
  allowSelfApproval: { people: true },
  unknownAuthors: { people: true },
  protectionDelaySeconds: { people: true },
  approvalTtlSeconds: { people: true, never: 'a run that waits longer needs the same approvals' },
  access: { people: true, never: 'it decides who starts runs; each run still needs approval' },
  confirmHosts: { people: true, never: 'it adds hosts to those that the environment protects' },
  name: { people: false, never: 'a label' },
  description: { people: false, never: 'a label' },
  allowedModes: { people: false, never: 'every mode but the dry run, which changes nothing, needs approval' },
  hostJournal: { people: false, never: 'it decides what is known of a command after a loss' },
  checkIntervalSeconds: { people: false, never: 'checks run no command of members' },
  runWindows: { people: false, never: 'they decide when approved runs begin' },
};

/** Fields that only people may change: they define who may run in an environment and who may approve. */
export const PERSON_ONLY_FIELDS = Object.entries(FIELD_RULES)
  .filter(([, { people }]) => people)
  .map(([field]) => field as EnvironmentField);
