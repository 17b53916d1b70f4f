import { isValidLoginTimeout, LOGIN_TIMEOUT_RANGE_TEXT } from '../../../../transport/connection/login-timeout.ts';
import { isLegacyAlgorithm } from '../../../../transport/keys/legacy-algorithms.ts';

export const CONNECT_TIMEOUT_REASON = `The login timeout of a server is ${LOGIN_TIMEOUT_RANGE_TEXT}. Set it on the server (loginTimeoutSeconds).`;

const SECONDS_BY_UNIT: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 };

/**
 * Reads a time limit such as `60`, `90s` or `1m30s`: `ConnectTimeout` of ssh_config(5), or `ansible_timeout`.
 * @returns seconds; undefined: the default of ssh (`none` or 0); null: not imported, see `CONNECT_TIMEOUT_REASON`
 */
export function readConnectTimeout(text: string): number | null | undefined {
  if (/^(?:none|0)$/i.test(text)) return undefined;
  if (!/^(?:\d{1,6}[smh]?)+$/i.test(text) || text.length > 20) return null;
  let seconds = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+)([smh]?)/gi))
    seconds += Number(count) * (SECONDS_BY_UNIT[unit.toLowerCase()] ?? 0);
  return isValidLoginTimeout(seconds) ? seconds : null;
}

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
