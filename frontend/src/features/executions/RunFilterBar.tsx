import { Chip, Group, MultiSelect, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { EXECUTION_STATUSES } from '../../api/lists';
import { planChoicesQuery } from '../../api/queries/plans/plans';
import { SavedFilters } from '../../ui/bookmarks/SavedFilters';
import { EnvironmentSelect } from '../../ui/environments/EnvironmentSelect';
import { SearchField } from '../../ui/forms/SearchField';
import { labelsFault } from '../../ui/runs/labels';
import { LabelsInput } from '../../ui/runs/LabelsInput';
import { statusStyle } from '../../ui/status/statuses';
import { labelTexts, type RunSearch, statusesOf } from './run-filters';

const STATUS_CHOICES = EXECUTION_STATUSES.map((status) => ({ value: status, label: statusStyle(status).label }));

interface Props {
  search: RunSearch;
  onChange: (change: RunSearch) => void;
}

export function RunFilterBar({ search, onChange }: Props) {
  const plans = useQuery(planChoicesQuery);
  const status = statusesOf(search);
  const labels = labelTexts(search);
  return (
    <Group gap="xs" mb="md" align="center">
      <SearchField
        label="Search runs"
        placeholder="Plan, note, label or run ID"
        value={search.q ?? ''}
        onChange={(value) => onChange({ q: value || undefined })}
      />
      <MultiSelect
        aria-label="Status"
        placeholder={status.length === 0 ? 'Any status' : undefined}
        data={STATUS_CHOICES}
        value={status}
        onChange={(value) => onChange({ status: value.length > 0 ? value.join(',') : undefined })}
        clearable
        miw={200}
      />
      <Select
        aria-label="Plan"
        placeholder="Any plan"
        data={(plans.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={search.plan ?? null}
        onChange={(value) => onChange({ plan: value ?? undefined })}
        searchable
        clearable
      />
      <EnvironmentSelect
        aria-label="Environment"
        placeholder="Any environment"
        value={search.environment ?? null}
        onChange={(value: string | null) => onChange({ environment: value ?? undefined })}
        clearable
      />
      <LabelsInput
        aria-label="Labels"
        placeholder={labels.length === 0 ? 'Label, such as release=2.4.1' : undefined}
        value={labels}
        error={labelsFault(labels)}
        onChange={(value) => onChange({ label: value.length > 1 ? value : value[0] })}
        clearable
        miw={230}
      />
      <Chip
        checked={search.awaiting === 'me'}
        onChange={(mine) => onChange({ awaiting: mine ? 'me' : undefined })}
        variant="outline"
        size="xs"
      >
        Waiting for you
      </Chip>
      <Chip
        checked={search.held === true}
        onChange={(held) => onChange({ held: held || undefined })}
        variant="outline"
        size="xs"
      >
        Legal hold
      </Chip>
      <SavedFilters page="/executions" search={search} />
    </Group>
  );
}
