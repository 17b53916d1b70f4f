import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconFileCode } from '@tabler/icons-react';
import { scripts } from '../../api/queries/library/scripts';
import { listState } from '../../ui/tables/list-state';
import { RecordList } from './RecordList';

const route = getRouteApi('/app/scripts');

export function ScriptsPage() {
  const { q } = route.useSearch();
  const navigate = useNavigate({ from: '/scripts' });
  const found = useInfiniteQuery(scripts.list(q));
  return (
    <RecordList
      kind="script"
      icon={IconFileCode}
      description="Programs that steps run on hosts. A run keeps the latest revision at its start."
      use="A script can be used by steps of many plans, in any language that is installed on the hosts."
      list={listState(found)}
      q={q}
      onSearch={(text) => void navigate({ search: { q: text }, replace: true })}
    />
  );
}
