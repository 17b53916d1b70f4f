import { Paper } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import type { Overview } from '../../api/types';
import { EmptyState } from '../../ui/feedback/EmptyState';

/** For a member who sees no environment. */
export function NoAccess({ admins }: Pick<Overview, 'admins'>) {
  return (
    <Paper mb={24}>
      <EmptyState icon={IconLock} title="You have no access to an environment yet">
        Runs, hosts and results belong to environments. You need a grant in at least one of them: “view” to see it,
        “run” to start plans, “approve” to approve runs. An admin can give it to you:{' '}
        {admins.map(({ name }) => name).join(', ')}.
      </EmptyState>
    </Paper>
  );
}
