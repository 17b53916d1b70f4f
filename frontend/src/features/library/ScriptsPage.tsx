import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconFileCode, IconPlus } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { scripts } from '../../api/queries/library/scripts';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { listState } from '../../ui/tables/list-state';
import { ButtonLink } from '../../ui/page/links';
import { RecordsTable } from './RecordsTable';

const route = getRouteApi('/app/scripts');

export function ScriptsPage() {
  const { q } = route.useSearch();
  const navigate = useNavigate({ from: '/scripts' });
  const found = useInfiniteQuery(scripts.list(q));
  const create = (
    <Can role="operator">
      <ButtonLink to="/scripts/new" leftSection={<IconPlus size={15} aria-hidden />}>
        New script
      </ButtonLink>
    </Can>
  );
  return (
    <RecordsTable
      title="Scripts"
      description="Programs that steps run on hosts. A run takes the latest revision at its start and keeps it."
      to="/scripts/$id"
      list={listState(found)}
      q={q}
      onSearch={(text) => void navigate({ search: { q: text }, replace: true })}
      create={create}
      empty={
        <EmptyState
          icon={IconFileCode}
          title={q ? 'No script has this name' : 'No scripts yet'}
          action={q ? undefined : create}
        >
          A script is written once and used by the steps of many plans, in whatever language the hosts have.
        </EmptyState>
      }
    />
  );
}
