import { Group } from '@mantine/core';
import { IconLock, IconShieldCheck, IconWorld } from '@tabler/icons-react';
import type { Environment } from '../../api/types';
import { Badge } from '../status/Badge';

type Walls = Pick<Environment, 'access' | 'protected'>;

/** Who gets into an environment, and whether runs need approval there. */
export function EnvironmentBadges({ environment: { access, protected: guarded } }: { environment: Walls }) {
  return (
    <Group gap={6}>
      {access === 'restricted' ? (
        <Badge tone="warn" icon={IconLock}>
          Restricted
        </Badge>
      ) : (
        <Badge tone="idle" icon={IconWorld}>
          Open
        </Badge>
      )}
      {guarded && (
        <Badge tone="active" icon={IconShieldCheck}>
          Protected
        </Badge>
      )}
    </Group>
  );
}
