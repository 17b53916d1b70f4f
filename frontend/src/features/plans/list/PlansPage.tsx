import { Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useAccess } from '../../../access/useAccess';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { collectionsQuery } from '../../../api/queries/plans/collections';
import { plansQuery } from '../../../api/queries/plans/plans';
import { pathText } from '../../../ui/collections/collection-tree';
import { PageHeader } from '../../../ui/page/PageHeader';
import { DataTable } from '../../../ui/tables/DataTable';
import { listState } from '../../../ui/tables/list-state';
import { CollectionHeader } from '../collections/CollectionHeader';
import { CollectionsPane } from '../collections/CollectionsPane';
import { NO_COLLECTION } from '../collections/CollectionTree';
import classes from '../collections/collections.module.css';
import { MovePlansDialog } from '../collections/MovePlansDialog';
import { NoPlans } from './NoPlans';
import { ImportPlansLink, NewPlanLink, PlanFilterBar, PlanSelectionBar } from './PlanBars';
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
  const create = <NewPlanLink collectionId={selected?.id} />;
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
        actions={
          <>
            <ImportPlansLink collectionId={selected?.id} />
            {create}
          </>
        }
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
          <PlanFilterBar
            search={{ q, environment, collection }}
            onChange={(change) => void navigate({ search: (before) => ({ ...before, ...change }), replace: true })}
          />
          {chosen.length > 0 && (
            <PlanSelectionBar
              count={chosen.length}
              onClear={() => setPickedPlanIds(new Set())}
              onMove={() => setMoveDialogOpen(true)}
            />
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
