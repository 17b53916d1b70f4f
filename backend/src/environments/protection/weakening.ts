import type { Environment } from '../environment.entity.js';
import type { UpdateEnvironmentRequest } from '../environments.dto.js';

/** Settings of a protected environment that a change can weaken. */
export const PROTECTION_SETTINGS = [
  'protected',
  'requiredApprovals',
  'allowSelfApproval',
  'unknownAuthors',
  'protectionDelaySeconds',
] as const;
export type ProtectionSetting = (typeof PROTECTION_SETTINGS)[number];

export type ProtectionSettings = Pick<Environment, ProtectionSetting>;
export type SettingValue = ProtectionSettings[ProtectionSetting];

/** Old and new value of each setting that a change weakens. */
export type SettingChanges = Partial<Record<ProtectionSetting, { from: SettingValue; to: SettingValue }>>;

type WritableColumn = Exclude<keyof Environment, 'id' | 'tenantId' | 'createdAt' | 'updatedAt' | 'version'>;
/** Every field that a change of an environment can set. */
export type EnvironmentField = keyof UpdateEnvironmentRequest | WritableColumn;

/** What a field means for approvals. */
interface FieldRule {
  /** Whether only people may send it. */
  people: boolean;
}
interface WeakeningRule<F extends ProtectionSetting> extends FieldRule {
  people: true;
  /** Whether the new value makes approval easier. */
  weakens: (from: ProtectionSettings[F], to: ProtectionSettings[F]) => boolean;
}
interface HarmlessRule extends FieldRule {
  /** Why no value makes approval easier. */
  never: string;
}

/**
 * Decides for each field of an environment whether a change of it weakens the protection, and whether machines may send it.
 * A new field does not compile before it is listed here.
 */
export const FIELD_RULES: Readonly<
  { [F in ProtectionSetting]: WeakeningRule<F> } & Record<Exclude<EnvironmentField, ProtectionSetting>, HarmlessRule>
> = {
  protected: { people: true, weakens: (from, to) => from && !to },
  requiredApprovals: { people: true, weakens: (from, to) => to < from },
  allowSelfApproval: { people: true, weakens: (from, to) => !from && to },
  unknownAuthors: { people: true, weakens: (from, to) => from === 'refuse' && to !== 'refuse' },
  protectionDelaySeconds: { people: true, weakens: (from, to) => to < from },
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

/** Fields that only people may send: they decide who runs in an environment and who approves there. */
export const PEOPLE_FIELDS = Object.entries(FIELD_RULES)
  .filter(([, { people }]) => people)
  .map(([field]) => field as EnvironmentField);

/** What of the request weakens the protection of the environment; empty: nothing, or the environment is not protected. */
export function weakeningOf(environment: ProtectionSettings, request: Partial<ProtectionSettings>): SettingChanges {
  const changes: SettingChanges = {};
  if (!environment.protected) return changes;
  for (const setting of PROTECTION_SETTINGS) addWeakening(changes, setting, environment, request);
  return changes;
}

function addWeakening<F extends ProtectionSetting>(
  changes: SettingChanges,
  setting: F,
  environment: ProtectionSettings,
  request: Partial<ProtectionSettings>,
): void {
  const rules: { [S in ProtectionSetting]: WeakeningRule<S> } = FIELD_RULES;
  const from = environment[setting];
  const to = request[setting];
  if (to !== undefined && rules[setting].weakens(from, to)) changes[setting] = { from, to };
}

/** `protected: true to false`, for messages. */
export const weakeningText = (changes: SettingChanges): string =>
  Object.entries(changes)
    .map(([setting, { from, to }]) => `${setting}: ${from} to ${to}`)
    .join(', ');
