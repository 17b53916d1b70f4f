import type { GitSource } from '../../../api/types';
import { Badge } from '../../../ui/status/Badge';
import { sourceStyle } from './source-state';

export function SourceBadge({ source }: { source: Pick<GitSource, 'state' | 'syncing' | 'syncRequestedAt'> }) {
  const { tone, icon, label } = sourceStyle(source);
  return (
    <span data-testid="git-source-state">
      <Badge tone={tone} icon={icon}>
        {label}
      </Badge>
    </span>
  );
}
