import { Tabs } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { missingGrant } from '../../../access/environment-access';
import { environmentQuery } from '../../../api/queries/inventory/environments';
import { serverQuery } from '../../../api/queries/inventory/servers';
import { meQuery } from '../../../api/queries/access/session';
import type { Server } from '../../../api/types';
import { DoctorDialog } from '../doctor/DoctorDialog';
import { DeleteServerDialog } from '../form/DeleteServerDialog';
import { ServerDrawer } from '../form/ServerDrawer';
import { ServerHeader } from './ServerHeader';
import { SERVER_TABS } from './server-tabs';
import { UnloadedPage } from '../../../ui/page/UnloadedPage';

const route = getRouteApi('/app/servers/$id');
/** Refetch interval, in ms, because checks and runs change the state of the server. */
const REFRESH_MS = 15_000;

export function ServerPage() {
  const { id } = route.useParams();
  const server = useQuery({ ...serverQuery(id), refetchInterval: REFRESH_MS });
  if (server.data) return <ServerView key={id} server={server.data} />;
  return <UnloadedPage title="Server" query={server} />;
}

function ServerView({ server }: { server: Server }) {
  const { tab, open } = route.useSearch();
  const navigate = useNavigate({ from: '/servers/$id' });
  const { data: me } = useQuery(meQuery);
  const { data: environment } = useQuery(environmentQuery(server.environmentId));
  const unless = environment ? missingGrant(me?.role, environment) : null;
  const current = SERVER_TABS.find(({ value }) => value === tab) ?? SERVER_TABS[0];
  const choose = (next: string | null) =>
    void navigate({ search: { tab: next === SERVER_TABS[0].value ? undefined : (next ?? undefined) } });
  const show = (next: 'edit' | 'doctor' | 'delete' | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: next }), replace: next === undefined });
  const close = () => show(undefined);
  return (
    <>
      <ServerHeader server={server} unless={unless} onOpen={show} onReview={() => choose('host-key')} />
      <Tabs value={current.value} onChange={choose} keepMounted={false}>
        <Tabs.List mb="md">
          {SERVER_TABS.map(({ value, label }) => (
            <Tabs.Tab key={value} value={value}>
              {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {SERVER_TABS.map(({ value, content: Content }) => (
          <Tabs.Panel key={value} value={value}>
            <Content server={server} unless={unless} onDiagnose={() => show('doctor')} />
          </Tabs.Panel>
        ))}
      </Tabs>
      {open === 'edit' && <ServerDrawer id={server.id} environmentId={undefined} onClose={close} onSaved={close} />}
      {open === 'doctor' && <DoctorDialog server={server} onClose={close} />}
      {open === 'delete' && (
        <DeleteServerDialog
          server={server}
          onDeleted={() => void navigate({ to: '/servers', replace: true })}
          onClose={close}
        />
      )}
    </>
  );
}
