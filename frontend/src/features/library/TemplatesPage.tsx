import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconTemplate, IconPlus } from '@tabler/icons-react';
import { Can } from '../../access/Can';
import { templates } from '../../api/queries/library/templates';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { listState } from '../../ui/tables/list-state';
import { ButtonLink } from '../../ui/page/links';
import { RecordsTable } from './RecordsTable';

const route = getRouteApi('/app/templates');

export function TemplatesPage() {
  const { q } = route.useSearch();
  const navigate = useNavigate({ from: '/templates' });
  const found = useInfiniteQuery(templates.list(q));
  const create = (
    <Can role="operator">
      <ButtonLink to="/templates/new" leftSection={<IconPlus size={15} aria-hidden />}>
        New template
      </ButtonLink>
    </Can>
  );
  return (
    <RecordsTable
      title="Templates"
      description="Config files that steps write on hosts, with variables in them. A run takes the latest revision at its start and keeps it."
      to="/templates/$id"
      list={listState(found)}
      q={q}
      onSearch={(text) => void navigate({ search: { q: text }, replace: true })}
      create={create}
      empty={
        <EmptyState
          icon={IconTemplate}
          title={q ? 'No template has this name' : 'No templates yet'}
          action={q ? undefined : create}
        >
          A template becomes a file on each host: with its own values, checked before it replaces the old one.
        </EmptyState>
      }
    />
  );
}
