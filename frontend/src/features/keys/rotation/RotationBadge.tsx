import type { Rotation } from '../../../api/types';
import { Badge } from '../../../ui/status/Badge';
import { rotationStyle } from './rotation-states';

export function RotationBadge({ rotation }: { rotation: Pick<Rotation, 'open' | 'counts'> }) {
  const { tone, icon, label } = rotationStyle(rotation);
  return (
    <span data-testid="rotation-state">
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
    </span>
  );
}
