import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconTemplate } from '@tabler/icons-react';
import { templates } from '../../api/queries/library/templates';
import { listState } from '../../ui/tables/list-state';
import { RecordList } from './RecordList';

const route = getRouteApi('/app/templates');

export function TemplatesPage() {
  const { q } = route.useSearch();
  const navigate = useNavigate({ from: '/templates' });
  const found = useInfiniteQuery(templates.list(q));
  return (
    <RecordList
      kind="template"
      icon={IconTemplate}
      description="Config files with variables that steps write to hosts. A run keeps the latest revision at its start."
      use="Runward renders a template for each host and can validate the file before it replaces the old one."
      list={listState(found)}
      q={q}
      onSearch={(text) => void navigate({ search: { q: text }, replace: true })}
    />
  );
}
