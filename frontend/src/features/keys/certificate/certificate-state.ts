import { IconCertificate, IconCertificateOff, IconClock, IconClockExclamation } from '@tabler/icons-react';
import type { Certificate } from '../../../api/types';
import type { StatusStyle } from '../../../ui/status/statuses';

/** How long before its end a certificate is to be replaced. */
export const SOON_MS = 14 * 86_400_000;

/** How the state of a certificate is drawn. @param now in ms since 1970 */
export function certificateStyle(
  { validFrom, validUntil }: Pick<Certificate, 'validFrom' | 'validUntil'>,
  now: number,
) {
  const style = (tone: StatusStyle['tone'], icon: StatusStyle['icon'], label: string): StatusStyle => ({
    ...{ tone, icon, label },
  });
  if (validFrom !== null && Date.parse(validFrom) > now) return style('warn', IconClock, 'Not valid yet');
  if (validUntil === null) return style('good', IconCertificate, 'Valid');
  const left = Date.parse(validUntil) - now;
  if (left <= 0) return style('bad', IconCertificateOff, 'Expired');
  return left < SOON_MS ? style('warn', IconClockExclamation, 'Expires soon') : style('good', IconCertificate, 'Valid');
}

/** Whether somebody has to look after it. */
export const wantsCare = (certificate: Certificate, now: number): boolean =>
  certificateStyle(certificate, now).tone !== 'good';

/** What the state means for logins, and what to do. */
export function certificateAdvice(certificate: Pick<Certificate, 'validFrom' | 'validUntil'>, now: number): string {
  const { tone, label } = certificateStyle(certificate, now);
  if (label === 'Expired')
    return 'Hosts are shown the plain key instead. Have a new certificate signed and put it here.';
  if (label === 'Not valid yet') return 'Hosts are shown the plain key until then.';
  return tone === 'warn'
    ? 'Have a new certificate signed and put it here before this one ends; hosts that trust the authority only refuse the plain key.'
    : 'Hosts are shown it first; where one refuses it, the plain key is tried.';
}
