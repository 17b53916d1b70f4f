import type { Environment, RunMode, UpdateEnvironmentRequest } from '../../../api/types';
import { weakenedSettings } from './protection-text';

const SECONDS_PER_MINUTE = 60;
const HOUR = 3600;

/** Returns the form values of an environment. An empty `checkMinutes` means that there are no automatic checks. */
export const formOf = (environment: Environment) => ({
  protected: environment.protected,
  requiredApprovals: environment.requiredApprovals,
  allowSelfApproval: environment.allowSelfApproval,
  approvalTtlMinutes: environment.approvalTtlSeconds / SECONDS_PER_MINUTE,
  refuseUnknown: environment.unknownAuthors === 'refuse',
  delayHours: environment.protectionDelaySeconds / HOUR,
  allowedModes: [...environment.allowedModes] as string[],
  hostJournal: environment.hostJournal,
  checkMinutes:
    environment.checkIntervalSeconds === null
      ? ('' as number | string)
      : environment.checkIntervalSeconds / SECONDS_PER_MINUTE,
});

export type ProtectionForm = ReturnType<typeof formOf>;
export type WeakenedSettings = NonNullable<ReturnType<typeof weakenedSettings>>;

/** Form fields whose names differ from those of the request, because the form uses other units. */
const FORM_FIELD_BY_PROPERTY: Record<string, keyof ProtectionForm> = {
  approvalTtlSeconds: 'approvalTtlMinutes',
  unknownAuthors: 'refuseUnknown',
  checkIntervalSeconds: 'checkMinutes',
  protectionDelaySeconds: 'delayHours',
};

/** Returns the form field for an error at `path` of the request; null = none. */
export function fieldOf(form: ProtectionForm, path: string): string | null {
  const field = FORM_FIELD_BY_PROPERTY[path] ?? path;
  return field in form ? field : null;
}

/**
 * Splits an edit into the part that is saved immediately and the part that needs a request.
 * @returns `weakened`: settings that weaken the protection, which `body` leaves out; null = none
 */
export function protectionChange(
  environment: Environment,
  { approvalTtlMinutes, allowedModes, checkMinutes, delayHours, refuseUnknown, ...rest }: ProtectionForm,
): { body: UpdateEnvironmentRequest; weakened: WeakenedSettings | null } {
  const protectionDelaySeconds = Math.round(Number(delayHours) * HOUR);
  const unknownAuthors = refuseUnknown ? ('refuse' as const) : ('show' as const);
  const weakened = weakenedSettings(environment, {
    ...rest,
    requiredApprovals: Number(rest.requiredApprovals),
    unknownAuthors,
    protectionDelaySeconds,
  });
  const body = {
    ...rest,
    protectionDelaySeconds,
    unknownAuthors,
    ...Object.fromEntries(Object.keys(weakened ?? {}).map((setting) => [setting, undefined])),
    approvalTtlSeconds: Math.round(Number(approvalTtlMinutes) * SECONDS_PER_MINUTE),
    checkIntervalSeconds: checkMinutes === '' ? null : Math.round(Number(checkMinutes) * SECONDS_PER_MINUTE),
    allowedModes: allowedModes as RunMode[],
  };
  return { body, weakened };
}

/** Compares without the order in which modes were checked. */
export const isSameForm = (one: ProtectionForm, other: ProtectionForm): boolean =>
  JSON.stringify({ ...one, allowedModes: [...one.allowedModes].sort() }) ===
  JSON.stringify({ ...other, allowedModes: [...other.allowedModes].sort() });
