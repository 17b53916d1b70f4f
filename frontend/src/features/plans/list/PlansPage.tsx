import { Button, Group, Paper, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconFileImport, IconFolderSymlink, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import { collectionsQuery } from '../../../api/queries/plans/collections';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { plansQuery } from '../../../api/queries/plans/plans';
import { pathText } from '../../../ui/collections/collection-tree';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { plural } from '../../../ui/format/format';
import { SearchField } from '../../../ui/forms/SearchField';
import { ButtonLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { DataTable } from '../../../ui/tables/DataTable';
import { listState } from '../../../ui/tables/list-state';
import { NO_COLLECTION } from '../collections/CollectionTree';
import { CollectionHeader } from '../collections/CollectionHeader';
import { CollectionsPane } from '../collections/CollectionsPane';
import classes from '../collections/collections.module.css';
import { MovePlansDialog } from '../collections/MovePlansDialog';
import { NoPlans } from './NoPlans';
import { planColumns } from './plan-columns';

const route = getRouteApi('/app/plans');

export function PlansPage() {
  const { q, environment, collection } = route.useSearch();
  const navigate = useNavigate({ from: '/plans' });
  const { can } = useAccess();
  const place = collection === NO_COLLECTION ? { uncollected: true as const } : { collectionId: collection };
  const list = listState(useInfiniteQuery(plansQuery({ q, environmentId: environment, ...place })));
  const environments = useQuery(environmentChoicesQuery);
  const collections = useQuery(collectionsQuery);
  const names = new Map(environments.data?.items.map(({ id, name }) => [id, name]));
  const paths = new Map(collections.data?.map((one) => [one.id, pathText(one)]));
  const selected = collections.data?.find(({ id }) => id === collection);
  const [pickedPlanIds, setPickedPlanIds] = useState<ReadonlySet<string>>(new Set());
  const [moveDialogOpen, setMoveDialogOpen] = useState(false);
  // Only visible plans stay selected.
  const chosen = list.rows?.filter(({ id }) => pickedPlanIds.has(id)) ?? [];
  const create = (
    <Can role="operator">
      <ButtonLink
        to="/plans/new"
        search={{ collection: selected?.id }}
        leftSection={<IconPlus size={15} aria-hidden />}
      >
        New plan
      </ButtonLink>
    </Can>
  );
  const actions = (
    <>
      <Can role="operator">
        <ButtonLink
          to="/plans/import"
          search={{ collection: selected?.id }}
          variant="default"
          leftSection={<IconFileImport size={15} aria-hidden />}
        >
          Import
        </ButtonLink>
      </Can>
      {create}
    </>
  );
  const columns = planColumns({
    environmentName: (id) => names.get(id) ?? '…',
    collectionPath: ({ collectionId }) =>
      collectionId === null || collectionId === collection ? null : (paths.get(collectionId) ?? null),
    picked: can('operator') ? pickedPlanIds : null,
    onPick: (id) =>
      setPickedPlanIds((before) =>
        before.has(id) ? new Set([...before].filter((one) => one !== id)) : new Set([...before, id]),
      ),
  });
  return (
    <>
      <PageHeader
        title="Plans"
        description="Ordered steps with variables. Every save creates a revision; a run keeps the revision it started with."
        actions={actions}
      />
      <div className={classes.page}>
        <CollectionsPane collections={collections} selected={collection} />
        <div>
          {selected && <CollectionHeader key={selected.id} collection={selected} all={collections.data ?? []} />}
          {collection !== undefined && collection !== NO_COLLECTION && collections.data && !selected && (
            <Text c="dimmed" mb="md" role="status">
              This collection was deleted.
            </Text>
          )}
          <Group gap="xs" mb="md">
            <SearchField
              label="Search plans"
              value={q ?? ''}
              onChange={(value) =>
                void navigate({ search: (before) => ({ ...before, q: value || undefined }), replace: true })
              }
            />
            <EnvironmentSelect
              aria-label="Environment"
              placeholder="Any environment"
              value={environment ?? null}
              onChange={(value: string | null) =>
                void navigate({ search: (before) => ({ ...before, environment: value ?? undefined }), replace: true })
              }
              clearable
            />
          </Group>
          {chosen.length > 0 && (
            <Paper p="xs" mb="xs" role="toolbar" aria-label="Selected plans" bg="var(--rw-selected)">
              <Group gap="xs">
                <Text fw={600} role="status">
                  {plural(chosen.length, 'plan')} selected
                </Text>
                <Button variant="subtle" color="gray" onClick={() => setPickedPlanIds(new Set())}>
                  Clear selection
                </Button>
                <Button
                  ml="auto"
                  variant="default"
                  leftSection={<IconFolderSymlink size={15} aria-hidden />}
                  onClick={() => setMoveDialogOpen(true)}
                >
                  Move to collection
                </Button>
              </Group>
            </Paper>
          )}
          <DataTable
            label="Plans"
            list={list}
            columns={columns}
            rowKey={(plan) => plan.id}
            empty={<NoPlans filtered={Boolean(q ?? environment)} within={collection !== undefined} create={create} />}
          />
        </div>
      </div>
      {moveDialogOpen && (
        <MovePlansDialog
          plans={chosen}
          onClose={() => setMoveDialogOpen(false)}
          onMoved={() => {
            setMoveDialogOpen(false);
            setPickedPlanIds(new Set());
          }}
        />
      )}
    </>
  );
}
