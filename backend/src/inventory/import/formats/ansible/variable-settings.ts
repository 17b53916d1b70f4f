import { isSecretName } from '../../../fields/secret-name.ts';
import { CONNECTION_SETTINGS, getNotCarriedReason } from './ansible-settings.ts';
import { type Findings, toPrintableName } from '../texts/findings.ts';
import type { ImportedValue } from '../texts/inventory-text.ts';
import { MAX_VALUE_LENGTH } from '../texts/limits.ts';
import { type RawValue, countTextLength, VARIABLE_NAME_PATTERN } from '../texts/variable-values.ts';

export interface AnsibleSetting {
  readonly line: number | null;
  readonly entry: string;
  /**
   * Undefined: null, or a value that can't be imported. An undefined value still overrides values of farther groups.
   */
  readonly value: ImportedValue | undefined;
  /** True: the value is undefined because only Ansible can evaluate it. */
  readonly isTemplate: boolean;
}

export type AnsibleSettings = Map<string, AnsibleSetting>;

export interface SettingPlace {
  readonly line: number | null;
  readonly entry: string;
}

export const TEMPLATE_REASON = "Runward does not evaluate Ansible's templates. Write the value itself into the text.";

export function addSetting(
  settings: AnsibleSettings,
  name: string,
  value: RawValue,
  place: SettingPlace,
  findings: Findings,
): void {
  findings.countSteps(3);
  const reason = CONNECTION_SETTINGS.has(name) ? null : getInvalidNameReason(name);
  const leftOutReason = reason ?? getInvalidValueReason(value);
  if (leftOutReason !== null) {
    findings.leaveOut(place.line, place.entry, name, leftOutReason);
    settings.set(name, { ...place, value: undefined, isTemplate: leftOutReason === TEMPLATE_REASON });
    return;
  }
  const importedValue = (value ?? undefined) as ImportedValue | undefined;
  if (importedValue !== undefined && countTextLength(importedValue) > MAX_VALUE_LENGTH) {
    const message = `The value of "${toPrintableName(name)}" can have at most ${MAX_VALUE_LENGTH} characters. Store long text in a file on the server.`;
    findings.recordFault(place.line, place.entry, 'variable_too_long', message);
  }
  settings.set(name, { ...place, value: importedValue, isTemplate: false });
}

function getInvalidNameReason(name: string): string | null {
  const setting = getNotCarriedReason(name);
  if (setting !== null) return setting;
  if (!VARIABLE_NAME_PATTERN.test(name)) {
    return 'The name of a variable starts with a letter or _, continues with letters, digits or _, and has at most 64 characters.';
  }
  if (name in Object.prototype) return 'The name is reserved by JavaScript. Choose another one.';
  if (!isSecretName(name)) return null;
  return 'Its name marks it as a secret, and imports store no secrets. Set it as a secret variable of the server, or of the environment.';
}

function getInvalidValueReason(value: RawValue): string | null {
  if (value === null) return null;
  if (typeof value === 'object' && 'tag' in value) {
    return value.tag === '!vault'
      ? 'Its value is encrypted with Ansible Vault. Set it as a secret variable of the server, or of the environment.'
      : `Its value has the tag ${toPrintableName(value.tag)}, which only Ansible knows.`;
  }
  if (typeof value === 'object' && 'nested' in value) {
    return 'A variable of a server must be a text, a number, true or false, or a list of these; this one is nested.';
  }
  return listTexts(value).some((text) => text.includes('{{') || text.includes('{%')) ? TEMPLATE_REASON : null;
}

function listTexts(value: ImportedValue): string[] {
  return (typeof value === 'object' ? value : [value]).filter((item) => typeof item === 'string');
}
