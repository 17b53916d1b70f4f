import { Paper } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { NO_GRANT_TITLE, noGrantText } from '../../access/useMissingGrant';
import type { Overview } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';

/** For a member who sees no environment. */
export function NoAccess({ admins }: Pick<Overview, 'admins'>) {
  return (
    <Paper mb={24}>
      <EmptyState icon={IconLock} title={NO_GRANT_TITLE}>
        {noGrantText(admins)}
      </EmptyState>
    </Paper>
  );
}
