import type { Certificate } from '../../../api/types';
import { useNow } from '../../../ui/format/useNow';
import { Badge } from '../../../ui/status/Badge';
import { certificateStyle } from './certificate-state';

/** @param prefix text before the state, if the context does not name the certificate */
export function CertificateBadge({ certificate, prefix = '' }: { certificate: Certificate; prefix?: string }) {
  const { tone, icon, label } = certificateStyle(certificate, useNow());
  return (
    <Badge tone={tone} icon={icon}>
      {prefix === '' ? label : `${prefix} ${label.toLowerCase()}`}
    </Badge>
  );
}
