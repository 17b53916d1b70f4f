import { Alert, Group, Loader, Paper, Progress, Stack, Text } from '@mantine/core';
import { IconCircleCheck, IconInfoCircle, IconServer2 } from '@tabler/icons-react';
import type { ServerImport } from '../../../api/types';
import { plural } from '../../../ui/format/format';
import { ButtonLink } from '../../../ui/page/links';
import { countsText, touched } from './entries/chips';
import { FaultList } from './faults/FaultList';

interface Props {
  found: ServerImport;
  environmentName: string;
  onLine?: (line: number) => void;
}

/** How far an import is, or how it ended. */
export function Outcome({ found, environmentName, onLine }: Props) {
  const { state, preview, counts, faults, moreFaults } = found;
  if (state === 'failed')
    return (
      <FaultList
        title={preview ? 'This can’t be imported' : 'Nothing was changed'}
        advice={preview ? 'An import is done whole or not at all. Nothing was changed.' : undefined}
        faults={faults}
        more={moreFaults}
        onLine={onLine}
      />
    );
  if (state !== 'succeeded' || !counts) return <UnderWay found={found} />;
  const nothing = touched(counts) === 0;
  if (preview)
    return (
      <Alert color="blue" icon={<IconInfoCircle aria-hidden />} role="status">
        <Text>
          {nothing
            ? `There is nothing to import: ${countsText(counts)}.`
            : `Nothing has been changed yet. The import would do this: ${countsText(counts)}.`}
        </Text>
      </Alert>
    );
  return (
    <Alert color="green" icon={<IconCircleCheck aria-hidden />} role="status">
      <Group justify="space-between" gap="sm">
        <Text>
          {nothing ? `Nothing had to be changed: ${countsText(counts)}.` : `Done: ${countsText(counts)}.`}
          {counts.create > 0 && ' Check the new servers next: that shows their host keys.'}
        </Text>
        <ButtonLink
          to="/servers"
          search={{ environment: found.environmentId }}
          variant="default"
          leftSection={<IconServer2 size={15} aria-hidden />}
        >
          Servers of {environmentName}
        </ButtonLink>
      </Group>
    </Alert>
  );
}

function UnderWay({ found: { state, preview, processed, total } }: { found: ServerImport }) {
  const text =
    state === 'pending'
      ? 'Waits for its turn.'
      : preview
        ? `Compares ${plural(total, 'server')} with those that are registered.`
        : processed < total
          ? `${processed.toLocaleString('en')} of ${plural(total, 'server')} done.`
          : `All of ${plural(total, 'server')} done; about to finish.`;
  return (
    <Paper p="md">
      <Stack gap="sm">
        <Group gap="xs" role="status">
          <Loader size="xs" aria-hidden />
          <Text>{text}</Text>
        </Group>
        {!preview && (
          <Progress value={total === 0 ? 0 : (100 * processed) / total} aria-label="Servers that are done" />
        )}
      </Stack>
    </Paper>
  );
}
