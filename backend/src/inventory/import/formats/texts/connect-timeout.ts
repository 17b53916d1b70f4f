import { isValidLoginTimeout, LOGIN_TIMEOUT_RANGE_TEXT } from '../../../../transport/connection/login-timeout.ts';

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
