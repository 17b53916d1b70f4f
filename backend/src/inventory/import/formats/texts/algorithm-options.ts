import { isLegacyAlgorithm } from '../../../../transport/keys/legacy-algorithms.ts';

const ALGORITHM_OPTIONS: ReadonlySet<string> = new Set(['hostkeyalgorithms', 'kexalgorithms', 'ciphers', 'macs']);
const SIGNATURE_OPTIONS: ReadonlySet<string> = new Set(['pubkeyacceptedalgorithms', 'pubkeyacceptedkeytypes']);

const OWN_CHOICE_REASON =
  'Runward chooses the algorithms itself. It imports only whether legacy algorithms are allowed (legacyAlgorithms).';
const SIGNATURE_REASON =
  'Runward signs its login with SHA-1 only when the server offers no better signature. This needs no setting.';

export interface RequestedAlgorithms {
  readonly legacy: boolean;
  readonly reason: string | null;
}

/** @param keyword in lower case */
export const listsAlgorithms = (keyword: string): boolean =>
  ALGORITHM_OPTIONS.has(keyword) || SIGNATURE_OPTIONS.has(keyword);

/** @param value in the syntax of ssh_config(5): names separated by commas, optionally after `+`, `-` or `^` */
export function readAlgorithms(keyword: string, value: string): RequestedAlgorithms {
  if (SIGNATURE_OPTIONS.has(keyword)) return { legacy: false, reason: SIGNATURE_REASON };
  const names = value.replace(/^[+^]/, '').split(',');
  if (value.startsWith('-')) return { legacy: false, reason: OWN_CHOICE_REASON };
  const isWhole = /^[+^]/.test(value) && names.every(isLegacyAlgorithm);
  return { legacy: names.some(isLegacyAlgorithm), reason: isWhole ? null : OWN_CHOICE_REASON };
}
