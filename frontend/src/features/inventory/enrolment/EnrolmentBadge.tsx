import type { Enrolment } from '../../../api/types';
import { Badge } from '../../../ui/status/Badge';
import { enrolmentStyle } from './enrolment-states';

export function EnrolmentBadge({ of }: { of: Pick<Enrolment, 'state' | 'login'> }) {
  const { tone, icon, label } = enrolmentStyle(of);
  return (
    <span data-testid="enrolment-state">
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
    </span>
  );
}
