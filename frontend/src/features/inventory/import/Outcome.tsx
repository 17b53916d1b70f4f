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
  onSelectLine?: (line: number) => void;
}

export function Outcome({ found, environmentName, onSelectLine }: Props) {
  const { status, preview, counts, faults, moreFaults } = found;
  if (status === 'failed')
    return (
      <FaultList
        title={preview ? 'Cannot be imported' : 'Import failed'}
        advice={preview ? 'Imports are all or nothing: no server was changed.' : undefined}
        faults={faults.map(({ reason, ...fault }) => ({ ...fault, message: reason.text }))}
        more={moreFaults}
        onSelectLine={onSelectLine}
      />
    );
  if (status !== 'succeeded' || !counts) return <ImportProgress found={found} />;
  const nothing = touched(counts) === 0;
  if (preview)
    return (
      <Alert color="blue" icon={<IconInfoCircle aria-hidden />} role="status">
        <Text>
          {nothing
            ? `Nothing to import: ${countsText(counts)}.`
            : `Preview: ${countsText(counts)}. Nothing has changed yet.`}
        </Text>
      </Alert>
    );
  return (
    <Alert color="green" icon={<IconCircleCheck aria-hidden />} role="status">
      <Group justify="space-between" gap="sm">
        <Text>
          {nothing ? `No changes: ${countsText(counts)}.` : `Done: ${countsText(counts)}.`}
          {counts.create > 0 && ' Next, check the new servers to review their host keys.'}
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

function ImportProgress({ found: { status, preview, processed, total } }: { found: ServerImport }) {
  const text =
    status === 'pending'
      ? 'Waiting to start.'
      : preview
        ? `Comparing ${plural(total, 'server')} with registered servers.`
        : processed < total
          ? `${processed.toLocaleString('en')} of ${plural(total, 'server')} done.`
          : `All ${plural(total, 'server')} done. Finishing.`;
  return (
    <Paper p="md">
      <Stack gap="sm">
        <Group gap="xs" role="status">
          <Loader size="xs" aria-hidden />
          <Text>{text}</Text>
        </Group>
        {!preview && <Progress value={total === 0 ? 0 : (100 * processed) / total} aria-label="Processed servers" />}
      </Stack>
    </Paper>
  );
}
