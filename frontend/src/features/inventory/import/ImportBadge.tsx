import type { ServerImport } from '../../../api/types';
import { Badge } from '../../../ui/status/Badge';
import { stateOf } from './import-states';

export function ImportBadge({ of }: { of: ServerImport }) {
  const { tone, icon, label } = stateOf(of);
  return (
    <span data-testid="import-state">
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
    </span>
  );
}
