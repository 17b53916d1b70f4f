import { IconSnowflake } from '@tabler/icons-react';
import type { ActiveFreeze } from '../../api/types';
import { shortTime } from '../format/format';
import { Badge } from '../status/Badge';
import { frozenText } from './freeze';
import { useFreeze } from './useFreeze';

/** End of a freeze. The tooltip contains the reason. */
export function FrozenBadge({ freeze: read, short = false }: { freeze: ActiveFreeze | null; short?: boolean }) {
  const freeze = useFreeze(read);
  if (!freeze) return null;
  return (
    <span title={frozenText(freeze)}>
      <Badge tone="active" icon={IconSnowflake}>
        {short ? 'Frozen' : `Frozen until ${shortTime(freeze.until)}`}
      </Badge>
    </span>
  );
}
