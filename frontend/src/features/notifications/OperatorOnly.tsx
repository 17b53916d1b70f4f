import { Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ROLE_NAMES } from '../../access/roles';
import { meQuery } from '../../api/queries/access/session';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { PageHeader } from '../../ui/page/PageHeader';

/** Shows the page to operators, and to viewers why it is empty. */
export function OperatorOnly({ title, children }: { title: string; children: ReactNode }) {
  const { data: me } = useQuery(meQuery);
  if (me?.role !== 'viewer') return <>{children}</>;
  return (
    <>
      <PageHeader title={title} />
      <Paper>
        <EmptyState icon={IconLock} title="Needs the Operator role">
          Your role is {ROLE_NAMES[me.role]}. An admin of {me.tenant.name} can change it.
        </EmptyState>
      </Paper>
    </>
  );
}
