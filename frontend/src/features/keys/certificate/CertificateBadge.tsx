import type { Certificate } from '../../../api/types';
import { useNow } from '../../../ui/format/useNow';
import { Badge } from '../../../ui/status/Badge';
import { certificateStyle } from './certificate-state';

/** @param prefix before the state where nothing else says what it is of */
export function CertificateBadge({ certificate, prefix = '' }: { certificate: Certificate; prefix?: string }) {
  const { tone, icon, label } = certificateStyle(certificate, useNow());
  return (
    <Badge tone={tone} icon={icon}>
      {prefix === '' ? label : `${prefix} ${label.toLowerCase()}`}
    </Badge>
  );
}
