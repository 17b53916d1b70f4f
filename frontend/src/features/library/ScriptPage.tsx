import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { scripts } from '../../api/queries/library/scripts';
import { RecordPage } from './RecordPage';
import { scriptOf } from './form/record-form';

const route = getRouteApi('/app/scripts/$id');

export function ScriptPage() {
  const { id } = route.useParams();
  const { tab, ...search } = route.useSearch();
  const navigate = useNavigate({ from: '/scripts/$id' });
  return (
    <RecordPage
      id={id}
      kind="script"
      queries={scripts}
      tab={tab}
      onTab={(next) => void navigate({ search: { tab: next === 'revisions' ? next : undefined } })}
      search={search}
      onSearch={(next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })}
      onDeleted={() => void navigate({ to: '/scripts', ignoreBlocker: true })}
      bodyOf={scriptOf}
    />
  );
}
