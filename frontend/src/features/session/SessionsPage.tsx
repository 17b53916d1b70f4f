import { Stack, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../../api/queries/access/session';
import { PageHeader } from '../../ui/page/PageHeader';
import { SessionsTable } from '../../ui/members/SessionsTable';
import { BrowserAlerts } from './BrowserAlerts';
import { ChangePassword } from './ChangePassword';

export function SessionsPage() {
  const { data: me } = useQuery(meQuery);
  return (
    <>
      <PageHeader
        title="Sessions and password"
        description="Browsers in which you are signed in. If you don’t recognise a session, end it and change your password."
      />
      <Stack gap="xl">
        <SessionsTable memberId={null} />
        {me && <BrowserAlerts me={me} />}
        <section aria-labelledby="change-password">
          <Title order={2} size="h4" mb="sm" id="change-password">
            Change password
          </Title>
          <ChangePassword />
        </section>
      </Stack>
    </>
  );
}
