import type { Environment } from './environment.entity.js';
import type { UpdateEnvironmentRequest } from './environments.dto.js';
import type { ProtectionSetting } from './protection/weakening.js';

type WritableColumn = Exclude<keyof Environment, 'id' | 'tenantId' | 'createdAt' | 'updatedAt' | 'version'>;
type EnvironmentField = keyof UpdateEnvironmentRequest | WritableColumn;

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
