import { Button, Group } from '@mantine/core';
import type { WindowFilters } from '../../../../api/queries/runs/executions';
import { ErrorPanel } from '../../../../ui/feedback/ErrorPanel';
import { EmptyOutput } from '../lines/EmptyOutput';
import { OutputCount } from './OutputCount';
import { OutputLines } from './OutputLines';
import type { Line } from '../lines/line';
import { useOutput } from './useOutput';

interface Props {
  runId: string;
  filters: WindowFilters;
  q: string;
  outputVersion: number;
  finished: boolean;
  timeOf: (line: Line) => string | null;
  wrap: boolean;
  originOf: ((line: Line) => string) | null;
  onSelectLine: (line: Line) => void;
}

/** Lines of the output that contain a text. A selected line opens among its neighbours. */
export function HitPanel({ runId, filters, q, outputVersion, finished, ...view }: Props) {
  const output = useOutput(runId, { ...filters, q }, outputVersion);
  return (
    <>
      <Group gap="xs" px="md" pb={6}>
        <OutputCount output={output} />
      </Group>
      {Boolean(output.error) && (
        <ErrorPanel error={output.error} onRetry={output.readMore} title="The output could not be loaded" />
      )}
      {output.lines.length === 0 && !output.error ? (
        <EmptyOutput loading={output.loading} finished={finished} searched />
      ) : (
        <OutputLines {...view} lines={output.lines} dropped={output.dropped} searchTerm={q} />
      )}
      {output.more && (
        <Group justify="center" p="xs">
          <Button variant="default" onClick={output.readMore}>
            Load more matches
          </Button>
        </Group>
      )}
    </>
  );
}
