import { Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { toProblem } from '../../../api/errors';
import { matchingServersQuery } from '../../../api/queries/inventory/servers';
import { plural } from '../../../ui/format/format';

const NAMED = 10;

interface Props {
  environmentId: string | null;
  value: string;
  error?: React.ReactNode;
  onChange: (value: string) => void;
}

/** Edits the plan's selector, and shows which hosts match it now. */
export function TargetsField({ environmentId, value, error, onChange }: Props) {
  const [selector] = useDebouncedValue(value.trim(), 300);
  return (
    <Stack gap={4}>
      <TextInput
        label="Targets"
        description="Selector over tags, facts and names, such as role=web,region in (eu, us),!legacy or name=web-*. Empty: all servers of the environment."
        placeholder="All servers of the environment"
        classNames={{ input: 'rw-mono-family' }}
        value={value}
        error={error}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <MatchingServers environmentId={environmentId} selector={selector} />
    </Stack>
  );
}

function MatchingServers({ environmentId, selector }: { environmentId: string | null; selector: string }) {
  const matching = useQuery({ ...matchingServersQuery(environmentId, selector), retry: false });
  if (environmentId === null)
    return (
      <Text size="xs" c="dimmed">
        Choose an environment to see matching hosts.
      </Text>
    );
  if (matching.error) {
    const { errors, message } = toProblem(matching.error);
    return (
      <Text size="xs" c="var(--mantine-color-error)">
        {errors[0]?.message ?? message}
      </Text>
    );
  }
  if (!matching.data)
    return (
      <Text size="xs" c="dimmed">
        Loading hosts…
      </Text>
    );
  const names = matching.data.items.filter(({ enabled }) => enabled).map(({ name }) => name);
  names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const count = matching.data.nextCursor ? 'More than 200 hosts' : plural(names.length, 'host');
  return (
    <Text size="xs" c={names.length === 0 ? 'var(--rw-warn)' : 'dimmed'} aria-live="polite">
      {names.length === 0 ? 'Matches no enabled host.' : `Matches ${count.toLowerCase()}: `}
      {names.slice(0, NAMED).join(', ')}
      {names.length > NAMED && ', …'}
    </Text>
  );
}
