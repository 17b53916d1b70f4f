import { IconCertificate, IconCertificateOff, IconClock, IconClockExclamation } from '@tabler/icons-react';
import type { Certificate } from '../../../api/types';
import type { StatusStyle } from '../../../ui/status/statuses';

/** Time before expiry at which a certificate should be replaced, in ms. */
export const EXPIRY_WARNING_MS = 14 * 86_400_000;

/** @param now in ms since 1970 */
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
  return left < EXPIRY_WARNING_MS
    ? style('warn', IconClockExclamation, 'Expires soon')
    : style('good', IconCertificate, 'Valid');
}

export const needsAttention = (certificate: Certificate, now: number): boolean =>
  certificateStyle(certificate, now).tone !== 'good';

/** Explains the certificate's effect on logins, and what to do. */
export function certificateAdvice(certificate: Pick<Certificate, 'validFrom' | 'validUntil'>, now: number): string {
  const { tone, label } = certificateStyle(certificate, now);
  if (label === 'Expired') return 'Runward signs in with the plain key. Sign a new certificate and add it here.';
  if (label === 'Not valid yet') return 'Runward signs in with the plain key until then.';
  return tone === 'warn'
    ? 'Add a new certificate before this one expires. Hosts that trust only the authority refuse the plain key.'
    : 'Runward tries the certificate first, then the plain key.';
}
