import { Button, Group, Paper, Text } from '@mantine/core';
import { IconFileImport, IconFolderSymlink, IconPlus } from '@tabler/icons-react';
import { Can } from '../../../access/Can';
import { SavedFilters } from '../../../ui/bookmarks/SavedFilters';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { plural } from '../../../ui/format/format';
import { SearchField } from '../../../ui/forms/SearchField';
import { ActionButton } from '../../../ui/page/ActionButton';
import { ButtonLink } from '../../../ui/page/links';

interface LinkProps {
  collectionId: string | undefined;
}

export function NewPlanLink({ collectionId }: LinkProps) {
  return (
    <Can role="operator">
      <ButtonLink
        to="/plans/new"
        search={{ collection: collectionId }}
        leftSection={<IconPlus size={15} aria-hidden />}
      >
        New plan
      </ButtonLink>
    </Can>
  );
}

export function ImportPlansLink({ collectionId }: LinkProps) {
  return (
    <Can role="operator">
      <ButtonLink
        to="/plans/import"
        search={{ collection: collectionId }}
        variant="default"
        leftSection={<IconFileImport size={15} aria-hidden />}
      >
        Import
      </ButtonLink>
    </Can>
  );
}

interface PlanSearch {
  collection?: string;
  q?: string;
  environment?: string;
}

interface FilterProps {
  search: PlanSearch;
  onChange: (change: PlanSearch) => void;
}

export function PlanFilterBar({ search, onChange }: FilterProps) {
  return (
    <Group gap="xs" mb="md">
      <SearchField
        label="Search plans"
        value={search.q ?? ''}
        onChange={(value) => onChange({ q: value || undefined })}
      />
      <EnvironmentSelect
        aria-label="Environment"
        placeholder="Any environment"
        value={search.environment ?? null}
        onChange={(value: string | null) => onChange({ environment: value ?? undefined })}
        clearable
      />
      <SavedFilters page="/plans" search={search} />
    </Group>
  );
}

interface SelectionProps {
  count: number;
  onClear: () => void;
  onMove: () => void;
}

export function PlanSelectionBar({ count, onClear, onMove }: SelectionProps) {
  return (
    <Paper p="xs" mb="xs" role="toolbar" aria-label="Selected plans" bg="var(--rw-selected)">
      <Group gap="xs">
        <Text fw={600} role="status">
          {plural(count, 'plan')} selected
        </Text>
        <Button variant="subtle" color="gray" onClick={onClear}>
          Clear selection
        </Button>
        <ActionButton icon={IconFolderSymlink} ml="auto" onClick={onMove}>
          Move to collection
        </ActionButton>
      </Group>
    </Paper>
  );
}
