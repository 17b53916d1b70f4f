import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconServer2 } from '@tabler/icons-react';
import { useState } from 'react';
import { toProblem } from '../../../api/errors';
import { fetchServerExport, serversQuery } from '../../../api/queries/inventory/servers';
import { ExportMenu } from '../../../ui/copy/ExportMenu';
import { SavedFilters } from '../../../ui/bookmarks/SavedFilters';
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
import { EnrolHostLink } from '../enrolment/EnrolHostLink';
import { OpenEnrolments } from '../enrolment/OpenEnrolments';
import { NoServers } from './NoServers';
import { ServerFilterBar } from './filters/ServerFilterBar';
import { bulkFilterOf, filtersOf, isFiltered } from './filters/server-filters';
import { type OpenDialog, ServerDialogs, type ServerPageSearch } from './ServerDialogs';
import { SERVER_EXPORTS } from './server-exports';
import { ImportServersLink, NewServerLink } from './server-links';
import { ServerTable } from './rows/ServerTable';
import { useRowRequests } from './useRowRequests';

const route = getRouteApi('/app/servers');

export function ServersPage() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/servers' });
  // Not on every window focus, because refetching a long list takes long.
  const servers = useInfiniteQuery({ ...serversQuery(filtersOf(search)), retry: false, refetchOnWindowFocus: false });
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [kind, setKind] = useState<BulkKind | null>(null);
  const list = listState(servers);
  const rows = list.rows ?? [];
  const total = servers.data?.pages[0]?.total;
  const [selection, setSelection] = useSelection(JSON.stringify(bulkFilterOf(search)), list.more ? null : rows);
  const { edit: _edit, enrol: _enrol, ...filterSearch } = search;
  const selectorError = servers.error
    ? toProblem(servers.error).errors.find(({ path }) => path === '?selector')
    : undefined;
  const set = (change: ServerPageSearch) =>
    void navigate({ search: (before) => ({ ...before, ...change }), replace: true });
  const requests = useRowRequests(setDialog);
  const many = useManyChecks();
  const checkSelected = () => {
    const { sort: _, ...filters } = filtersOf(search);
    const picked = rows.filter(({ id }) => selection.picked.has(id));
    void many.start(selection.all ? { filters } : { servers: picked });
  };
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
            <ImportServersLink environment={search.environment} />
            <EnrolHostLink variant="default" />
            <NewServerLink />
          </>
        }
      />
      <ServerFilterBar search={search} selectorError={selectorError?.message} onChange={set}>
        <SavedFilters page="/servers" search={filterSearch} />
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
      <ServerDialogs
        search={search}
        rows={rows}
        dialog={dialog}
        onChange={set}
        onCheck={requests.onCheck}
        onClose={() => setDialog(null)}
      />
    </>
  );
}
