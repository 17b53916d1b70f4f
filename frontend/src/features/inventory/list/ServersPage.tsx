import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconServer2 } from '@tabler/icons-react';
import { useCallback, useMemo, useState } from 'react';
import { useAccess } from '../../../access/useAccess';
import { toProblem } from '../../../api/errors';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { fetchServerExport, serversQuery } from '../../../api/queries/inventory/servers';
import type { Server } from '../../../api/types';
import { ExportMenu } from '../../../ui/copy/ExportMenu';
import { PageHeader } from '../../../ui/page/PageHeader';
import { listState } from '../../../ui/tables/list-state';
import { BulkBar } from '../bulk/BulkBar';
import { BulkDialog } from '../bulk/BulkDialog';
import type { BulkKind } from '../bulk/bulk-text';
import { ALL, NO_SELECTION, stateOf, toggled, toggledAll } from '../bulk/selection';
import { useSelection } from '../bulk/useSelection';
import { ChecksBar } from '../checks/ChecksBar';
import { isOver } from '../checks/many-checks';
import { useManyChecks } from '../checks/useManyChecks';
import { DoctorDialog } from '../doctor/DoctorDialog';
import { DeleteServerDialog } from '../form/DeleteServerDialog';
import { EnrolDialog } from '../enrolment/EnrolDialog';
import { EnrolHostLink } from '../enrolment/EnrolHostLink';
import { OpenEnrolments } from '../enrolment/OpenEnrolments';
import { ServerDrawer } from '../form/ServerDrawer';
import { HostKeyDialog } from '../host-key/HostKeyDialog';
import { NoServers } from './NoServers';
import { SavedFilters } from './filters/SavedFilters';
import type { RowRequests } from './rows/row-requests';
import { ServerFilterBar } from './filters/ServerFilterBar';
import { bulkFilterOf, filtersOf, isFiltered, type ServerSearch } from './filters/server-filters';
import { SERVER_EXPORTS } from './server-exports';
import { ImportServersLink, NewServerLink } from './server-links';
import { ServerTable } from './rows/ServerTable';
import { useRowChecks } from './rows/useRowChecks';

const route = getRouteApi('/app/servers');

type OpenDialog = { what: 'delete' | 'doctor'; server: Server } | { what: 'review'; id: string } | null;

export function ServersPage() {
  const search = route.useSearch();
  const { environment, edit, enrol } = search;
  const navigate = useNavigate({ from: '/servers' });
  // Not on every window focus, because refetching a long list takes long.
  const servers = useInfiniteQuery({ ...serversQuery(filtersOf(search)), retry: false, refetchOnWindowFocus: false });
  const environments = useQuery(environmentChoicesQuery);
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [kind, setKind] = useState<BulkKind | null>(null);
  const refusal = useAccess().missing('operator');
  const list = listState(servers);
  const rows = list.rows ?? [];
  const total = servers.data?.pages[0]?.total;
  const [selection, setSelection] = useSelection(JSON.stringify(bulkFilterOf(search)), list.more ? null : rows);
  const selectorError = servers.error
    ? toProblem(servers.error).errors.find(({ path }) => path === '?selector')
    : undefined;
  const set = (change: ServerSearch & { edit?: string; enrol?: 'new' }, replace = true) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace });
  const review = useCallback((id: string) => setDialog({ what: 'review', id }), []);
  const { checkingIds, onCheck } = useRowChecks(review);
  const many = useManyChecks();
  const requests = useMemo(
    (): RowRequests => ({
      environmentName: (id) => environments.data?.items.find((one) => one.id === id)?.name ?? '…',
      onReview: review,
      onEdit: (id) => void navigate({ search: (before) => ({ ...before, edit: id }) }),
      onDelete: (server) => setDialog({ what: 'delete', server }),
      onDiagnose: (server) => setDialog({ what: 'doctor', server }),
      onCheck: (server) => void onCheck(server),
      checkingIds,
      refusal,
    }),
    [environments.data, navigate, refusal, review, onCheck, checkingIds],
  );
  const checkSelected = () => {
    const { sort: _, ...filters } = filtersOf(search);
    const picked = rows.filter(({ id }) => selection.picked.has(id));
    void many.start(selection.all ? { filters } : { servers: picked });
  };
  const reviewed = dialog?.what === 'review' ? rows.find(({ id }) => id === dialog.id) : undefined;
  const close = () => setDialog(null);
  return (
    <>
      <PageHeader
        title="Servers"
        description="Hosts that plans run on. Check a server before its first run: the check shows its host key and signs in."
        actions={
          <>
            <ExportMenu
              formats={SERVER_EXPORTS}
              download={(format) => fetchServerExport(filtersOf(search), format)}
              describeError={(error) => ({ message: `Export failed: ${toProblem(error).message}` })}
            />
            <ImportServersLink environment={environment} />
            <EnrolHostLink variant="default" />
            <NewServerLink />
          </>
        }
      />
      <ServerFilterBar search={search} selectorError={selectorError?.message} onChange={(change) => set(change)}>
        <SavedFilters search={search} />
      </ServerFilterBar>
      <OpenEnrolments />
      {stateOf(selection, rows) !== 'none' && (
        <BulkBar
          selection={selection}
          loaded={rows.length}
          total={total}
          onSelectAll={() => setSelection(ALL)}
          onClear={() => setSelection(NO_SELECTION)}
          onAction={setKind}
          onCheck={checkSelected}
          checking={many.so !== null && !isOver(many.so)}
        />
      )}
      {many.so && <ChecksBar so={many.so} error={many.error} onClose={many.stop} />}
      <ServerTable
        key={JSON.stringify(filtersOf(search))}
        filters={JSON.stringify(filtersOf(search))}
        list={list}
        total={total}
        selection={selection}
        onToggle={(id, range) => setSelection((before) => toggled(before, id, rows, range))}
        onToggleAll={() => setSelection((before) => toggledAll(before, rows))}
        requests={requests}
        empty={<NoServers icon={IconServer2} filtered={isFiltered(search)} />}
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
      {enrol && <EnrolDialog environmentId={environment} onClose={() => set({ enrol: undefined })} />}
      {kind && (
        <BulkDialog
          kind={kind}
          target={selection.all ? { filter: bulkFilterOf(search) } : { serverIds: [...selection.picked] }}
          count={selection.all ? (total ?? rows.length) : selection.picked.size}
          onDone={() => {
            setKind(null);
            setSelection(NO_SELECTION);
          }}
          onClose={() => setKind(null)}
        />
      )}
      {reviewed && <HostKeyDialog key={reviewed.id} server={reviewed} onClose={close} />}
      {dialog?.what === 'doctor' && <DoctorDialog server={dialog.server} onClose={close} />}
      {dialog?.what === 'delete' && <DeleteServerDialog server={dialog.server} onDeleted={close} onClose={close} />}
    </>
  );
}
