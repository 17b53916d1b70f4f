import { Button, Group } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconId, IconPlus, IconTestPipe } from '@tabler/icons-react';
import { useState } from 'react';
import { trustRulesQuery } from '../../api/queries/access/trust-rules';
import { EmptyState } from '../../ui/feedback/EmptyState';
import { SearchField } from '../../ui/forms/SearchField';
import { AdminOnly } from '../../ui/page/AdminOnly';
import { PageHeader } from '../../ui/page/PageHeader';
import { listState } from '../../ui/tables/list-state';
import { type TrustRuleChange, TrustRuleConfirm } from './TrustRuleConfirm';
import { TrustRuleDialog } from './TrustRuleDialog';
import { TrustRulesTable } from './TrustRulesTable';
import { TryTokenDialog } from './TryTokenDialog';

const route = getRouteApi('/app/settings/trust-rules');

export function TrustRulesPage() {
  return (
    <AdminOnly title="Trust rules">
      <TrustRules />
    </AdminOnly>
  );
}

function TrustRules() {
  const { q, open } = route.useSearch();
  const navigate = useNavigate({ from: '/settings/trust-rules' });
  const rules = listState(useInfiniteQuery(trustRulesQuery(q)));
  const [editedId, setEditedId] = useState<string | null>(null);
  const [change, setChange] = useState<TrustRuleChange | null>(null);
  const edited = rules.rows?.find(({ id }) => id === editedId);
  const show = (what: 'new' | 'try' | undefined) =>
    void navigate({ search: (before) => ({ ...before, open: what }), replace: true });
  const add = (
    <Button leftSection={<IconPlus size={15} aria-hidden />} onClick={() => show('new')}>
      New trust rule
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Trust rules"
        description="Jobs of GitHub Actions, GitLab and others exchange an identity token for a short-lived Runward token. They store no secret."
        actions={
          <>
            <Button variant="default" leftSection={<IconTestPipe size={15} aria-hidden />} onClick={() => show('try')}>
              Test token
            </Button>
            {add}
          </>
        }
      />
      <Group mb="md">
        <SearchField
          label="Search trust rules"
          value={q ?? ''}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, q: value || undefined }), replace: true })
          }
        />
      </Group>
      <TrustRulesTable
        list={rules}
        onEdit={({ id }) => setEditedId(id)}
        onChange={setChange}
        empty={
          q ? (
            <EmptyState icon={IconId} title="No trust rules match this search">
              Search for part of a name.
            </EmptyState>
          ) : (
            <EmptyState icon={IconId} title="No trust rules yet" action={add}>
              A trust rule defines which jobs can get a token, the member they act as, and the scope.
            </EmptyState>
          )
        }
      />
      {open === 'new' && <TrustRuleDialog rule={null} onClose={() => show(undefined)} />}
      {open === 'try' && <TryTokenDialog rules={rules.rows ?? []} onClose={() => show(undefined)} />}
      {edited && <TrustRuleDialog rule={edited} onClose={() => setEditedId(null)} />}
      {change && <TrustRuleConfirm {...change} onClose={() => setChange(null)} />}
    </>
  );
}
