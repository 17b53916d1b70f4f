import { Chip, Group, Stack, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { importEntriesQuery } from '../../../../api/queries/inventory/imports';
import type { ImportCounts } from '../../../../api/types';
import { listState } from '../../../../ui/tables/list-state';
import { actionsOf, chipsOf, chosen } from './chips';
import { EntryTable } from './EntryTable';

const route = getRouteApi('/app/servers/import');

interface Props {
  id: string;
  title: string;
  counts: ImportCounts;
  environmentName: (id: string) => string;
}

export function Entries({ id, title, counts, environmentName }: Props) {
  const { action } = route.useSearch();
  const navigate = useNavigate({ from: '/servers/import' });
  const chips = chipsOf(counts);
  const value = chosen(action, counts);
  const list = listState(useInfiniteQuery(importEntriesQuery(id, actionsOf(value))));
  const choose = (next: string) =>
    void navigate({
      search: (before) => ({ ...before, action: next === chips[0]?.value ? undefined : next }),
      replace: true,
      resetScroll: false,
    });
  if (chips.length === 0) return null;
  return (
    <Stack gap="sm" component="section" aria-label={title}>
      <Group gap="sm">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Chip.Group multiple={false} value={value} onChange={choose}>
          <Group gap="xs" role="group" aria-label="Filter servers">
            {chips.map((chip) => (
              <Chip key={chip.value} value={chip.value} size="xs" variant="outline">
                {chip.label} {chip.count.toLocaleString('en')}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
      </Group>
      <EntryTable
        key={value}
        list={list}
        total={chips.find((chip) => chip.value === value)?.count ?? 0}
        environmentName={environmentName}
      />
    </Stack>
  );
}
