import { Group } from '@mantine/core';
import { IconLock, IconShieldCheck, IconWorld } from '@tabler/icons-react';
import type { Environment } from '../../api/types';
import { Badge } from '../status/Badge';

type Access = Pick<Environment, 'access' | 'protected'>;

export function EnvironmentBadges({ environment: { access, protected: guarded } }: { environment: Access }) {
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
