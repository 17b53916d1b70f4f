import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconServer2 } from '@tabler/icons-react';
import { useState } from 'react';
import { toProblem } from '../../../api/errors';
import { environmentChoicesQuery } from '../../../api/queries/environments';
import { serversQuery, useDeleteServer } from '../../../api/queries/servers';
import type { Server } from '../../../api/types';
import { ConfirmDialog } from '../../../ui/forms/ConfirmDialog';
import { DataTable } from '../../../ui/tables/DataTable';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { listState } from '../../../ui/tables/list-state';
import { ButtonLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { ExportMenu } from './ExportMenu';
import { HostKeyDialog } from '../host-key/HostKeyDialog';
import { ServerDrawer } from '../form/ServerDrawer';
import { ServerFilterBar } from './ServerFilterBar';
import { filtersOf, isFiltered, type ServerSearch } from './server-filters';
import { serverColumns } from './server-columns';
import { ImportServersLink, NewServerLink } from './server-links';

const route = getRouteApi('/app/servers');

export function ServersPage() {
  const search = route.useSearch();
  const { environment, edit } = search;
  const navigate = useNavigate({ from: '/servers' });
  const servers = useInfiniteQuery({ ...serversQuery(filtersOf(search)), retry: false });
  const environments = useQuery(environmentChoicesQuery);
  const [reviewed, setReviewed] = useState<string | null>(null);
  const [toDelete, setToDelete] = useState<Server | null>(null);
  const remove = useDeleteServer();
  const list = listState(servers);
  const underReview = list.rows?.find(({ id }) => id === reviewed);
  const selectorError = servers.error
    ? toProblem(servers.error).errors.find(({ path }) => path === '?selector')
    : undefined;
  const set = (change: ServerSearch & { edit?: string }, replace = true) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace });
  const columns = serverColumns({
    environmentName: (id) => environments.data?.items.find((one) => one.id === id)?.name ?? '…',
    onReview: setReviewed,
    onEdit: (id) => set({ edit: id }, false),
    onDelete: (server) => {
      remove.reset();
      setToDelete(server);
    },
  });
  return (
    <>
      <PageHeader
        title="Servers"
        description="The hosts that plans run on. Check a server before its first run: the check shows its host key and tries to sign in."
        actions={
          <>
            <ExportMenu filters={filtersOf(search)} />
            <ImportServersLink environment={environment} />
            <NewServerLink />
          </>
        }
      />
      <ServerFilterBar search={search} selectorError={selectorError?.message} onChange={(change) => set(change)} />
      <DataTable
        label="Servers"
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        empty={
          isFiltered(search) ? (
            <EmptyState
              icon={IconServer2}
              title="No server fits"
              action={
                <ButtonLink to="/servers" variant="default">
                  Show all servers
                </ButtonLink>
              }
            >
              No server fits these filters.
            </EmptyState>
          ) : (
            <EmptyState icon={IconServer2} title="No servers yet" action={<NewServerLink />}>
              Register a host with its address, the user to sign in as, and an SSH key, or import hosts from an
              inventory. Nothing is installed on them.
            </EmptyState>
          )
        }
      />
      {edit && (
        <ServerDrawer
          key={edit}
          id={edit}
          environmentId={environment}
          onClose={() => set({ edit: undefined })}
          onSaved={() => set({ edit: undefined })}
        />
      )}
      {underReview && <HostKeyDialog key={underReview.id} server={underReview} onClose={() => setReviewed(null)} />}
      <ConfirmDialog
        opened={toDelete !== null}
        title={`Delete ${toDelete?.name ?? ''}?`}
        confirm="Delete server"
        pending={remove.isPending}
        error={remove.error}
        onConfirm={() => toDelete && remove.mutate(toDelete, { onSuccess: () => setToDelete(null) })}
        onClose={() => setToDelete(null)}
      >
        Runward forgets the server and its accepted host key. What ran on it before stays in the runs. Nothing changes
        on the host itself.
      </ConfirmDialog>
    </>
  );
}
