import { Paper } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconLock } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { ROLE_NAMES } from '../../access/roles';
import { meQuery } from '../../api/queries/access/session';
import { EmptyState } from '../feedback/EmptyState';
import { PageHeader } from './PageHeader';

/** Page for admins. Explains to other members why it is empty. */
export function AdminOnly({ title, children }: { title: string; children: ReactNode }) {
  const { data: me } = useQuery(meQuery);
  if (!me || me.role === 'admin') return <>{children}</>;
  return (
    <>
      <PageHeader title={title} />
      <Paper>
        <EmptyState icon={IconLock} title="Needs the Admin role">
          Your role is {ROLE_NAMES[me.role]}. An admin of {me.tenant.name} can change your role.
        </EmptyState>
      </Paper>
    </>
  );
}
