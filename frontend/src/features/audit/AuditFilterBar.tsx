import { Autocomplete, Group, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconFilter } from '@tabler/icons-react';
import { SavedFilters } from '../../ui/bookmarks/SavedFilters';
import { ButtonLink } from '../../ui/page/links';
import { MemberSelect } from '../../ui/members/MemberSelect';
import { SearchField } from '../../ui/forms/SearchField';
import { useSettledText } from '../../ui/forms/useSettledText';
import { AUDIT_ACTIONS, AUDIT_RESOURCE_TYPES } from '../../api/lists';
import { toInstant, toLocalTime } from '../../ui/format/local-time';
import { ActionButton } from '../../ui/page/ActionButton';

const route = getRouteApi('/app/audit');

interface Filters {
  actor?: string;
  action?: string;
  type?: string;
  resource?: string;
  from?: string;
  to?: string;
}

/** Stores the filters as search parameters of the URL. */
export function AuditFilterBar() {
  const search = route.useSearch();
  const navigate = useNavigate({ from: '/audit' });
  const set = (change: Filters) =>
    void navigate({ search: ({ entry: _, at: __, ...before }) => ({ ...before, ...change }), replace: true });
  // On narrow screens, open filters would push the entries off the screen.
  const [opened, { toggle }] = useDisclosure();
  const { actor, action, type, resource, from, to } = search;
  const count = [actor, action, type, resource, from, to].filter(Boolean).length;
  return (
    <>
      <ActionButton icon={IconFilter} hiddenFrom="sm" aria-expanded={opened} onClick={toggle}>
        {count > 0 ? `Filters (${count})` : 'Filters'}
      </ActionButton>
      <Group gap="xs" align="flex-end" visibleFrom={opened ? undefined : 'sm'}>
        <MemberSelect
          aria-label="Actor"
          placeholder="Any actor"
          w={{ base: '100%', xs: 200 }}
          value={search.actor ?? null}
          onChange={(value: string | null) => set({ actor: value ?? undefined })}
          clearable
        />
        <SuggestionField
          label="Action"
          placeholder="Any action"
          suggestions={AUDIT_ACTIONS}
          value={search.action}
          onChange={(action) => set({ action })}
        />
        <SuggestionField
          label="Record type"
          placeholder="Any type"
          suggestions={AUDIT_RESOURCE_TYPES}
          value={search.type}
          onChange={(type) => set({ type })}
        />
        <SearchField
          label="Record ID"
          value={search.resource ?? ''}
          onChange={(value) => set({ resource: value || undefined })}
          width={180}
          mono
        />
        <TimeField label="From" value={search.from} onChange={(from) => set({ from })} />
        <TimeField label="Before" value={search.to} onChange={(to) => set({ to })} />
        {count > 0 && (
          <ButtonLink to="/audit" variant="subtle">
            Clear filters
          </ButtonLink>
        )}
        <SavedFilters page="/audit" search={{ actor, action, type, resource, from, to }} />
      </Group>
    </>
  );
}

interface FieldProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

const PAUSE_MS = 350;

function SuggestionField({
  label,
  placeholder,
  suggestions,
  value,
  onChange,
}: FieldProps & { placeholder: string; suggestions: readonly string[] }) {
  const { text, write } = useSettledText({
    value: value ?? '',
    onChange: (next) => onChange(next.trim() || undefined),
    pauseMs: PAUSE_MS,
  });
  return (
    <Autocomplete
      size="xs"
      aria-label={label}
      placeholder={placeholder}
      data={[...suggestions]}
      value={text}
      onChange={write}
      clearable
      clearButtonProps={{ 'aria-label': `Clear: ${label}` }}
      w={{ base: '100%', xs: 190 }}
    />
  );
}

function TimeField({ label, value, onChange }: FieldProps) {
  const { text, write } = useSettledText({
    value: toLocalTime(value),
    onChange: (next) => onChange(toInstant(next)),
    pauseMs: PAUSE_MS,
  });
  return (
    <TextInput
      label={label}
      type="datetime-local"
      value={text}
      onChange={(event) => write(event.currentTarget.value)}
      w={{ base: '100%', xs: 190 }}
    />
  );
}
