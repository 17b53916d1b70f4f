import { Group, MultiSelect, Select } from '@mantine/core';
import { EnvironmentSelect } from '../../../../ui/environments/EnvironmentSelect';
import { SearchField } from '../../../../ui/forms/SearchField';
import type { ReactNode } from 'react';
import {
  ENABLED_OPTIONS,
  PROTECTION_OPTIONS,
  protectionOf,
  type ServerSearch,
  SORT_OPTIONS,
  sortOf,
  STATE_OPTIONS,
  statesOf,
  DEFAULT_SORT,
} from './server-filters';

interface Props {
  search: ServerSearch;
  selectorError?: string;
  onChange: (change: ServerSearch) => void;
  children?: ReactNode;
}

export function ServerFilterBar({ search, selectorError, onChange, children }: Props) {
  const states = statesOf(search.state);
  return (
    <Group gap="xs" mb="md" align="flex-start">
      <SearchField
        label="Search servers"
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
      <SearchField
        label="Selector"
        placeholder="Selector: role=web,!legacy"
        mono
        width={260}
        value={search.selector ?? ''}
        onChange={(value) => onChange({ selector: value || undefined })}
        error={selectorError}
      />
      <MultiSelect
        aria-label="Status"
        placeholder={states.length === 0 ? 'Any status' : undefined}
        data={STATE_OPTIONS}
        value={states}
        onChange={(value) => onChange({ state: value.length > 0 ? value.join(',') : undefined })}
        clearable
        miw={170}
      />
      <Select
        aria-label="Enabled"
        placeholder="Enabled: any"
        data={ENABLED_OPTIONS}
        value={search.enabled ?? null}
        onChange={(value) => onChange({ enabled: value ?? undefined })}
        clearable
        w={140}
      />
      <Select
        aria-label="Protection"
        placeholder="Any protection"
        data={PROTECTION_OPTIONS}
        value={protectionOf(search.protection) ?? null}
        onChange={(value) => onChange({ protection: value ?? undefined })}
        clearable
        w={170}
      />
      <Select
        aria-label="Sort order"
        placeholder={DEFAULT_SORT}
        data={SORT_OPTIONS}
        value={sortOf(search.sort) ?? null}
        onChange={(value) => onChange({ sort: value ?? undefined })}
        clearable
        w={210}
      />
      {children}
    </Group>
  );
}
