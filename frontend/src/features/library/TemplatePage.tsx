import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { templates } from '../../api/queries/library/templates';
import { RecordPage } from './RecordPage';
import { TemplatePreview } from './TemplatePreview';
import { templateOf } from './form/record-form';

const route = getRouteApi('/app/templates/$id');

export function TemplatePage() {
  const { id } = route.useParams();
  const { tab, ...search } = route.useSearch();
  const navigate = useNavigate({ from: '/templates/$id' });
  return (
    <RecordPage
      id={id}
      kind="template"
      queries={templates}
      tab={tab === 'revisions' ? tab : undefined}
      onTab={(next) => void navigate({ search: { tab: next === 'revisions' ? next : undefined } })}
      search={search}
      onSearch={(next) => void navigate({ search: (before) => ({ ...before, ...next }), replace: true })}
      onDeleted={() => void navigate({ to: '/templates', ignoreBlocker: true })}
      bodyOf={templateOf}
      beside={({ id, version }, beside) => <TemplatePreview saved={{ id, version }} {...beside} />}
    />
  );
}
