import { Alert, Box, Code, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { cellResultQuery } from '../../../api/queries/runs/executions';
import type { Execution, HostResult } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { Elapsed, RelativeTime } from '../../../ui/format/RelativeTime';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import { statusStyle } from '../../../ui/status/statuses';
import { VerdictBadge } from '../dry-run/VerdictBadge';
import { readDiff } from '../../../ui/diff/diff-lines';
import { DiffText } from '../../../ui/diff/DiffText';
import { droppedText } from './lines/line';
import { HostCheckNote } from '../unknown/HostCheckNote';
import type { Cell } from '../run/run-cells.reducer';
import { RESOLUTION_LABELS } from '../unknown/resolve-labels';

interface Props {
  run: Execution;
  stepKey: string;
  serverId: string;
  cell: Cell | undefined;
  outputVersion: number;
}

export function CellSummary({ run, stepKey, serverId, cell, outputVersion }: Props) {
  const client = useQueryClient();
  const { data: result, error, refetch } = useQuery(cellResultQuery(run.id, stepKey, serverId));
  const ended = result?.finishedAt != null;
  // A finished result can change: a member can retry the step or resolve the host.
  const latest = cell && [cell.status, cell.attempts, cell.resolution].join(' ');
  const refetchKey = ended ? latest : [latest, outputVersion, run.version].join(' ');
  useEffect(() => {
    void client.invalidateQueries({ queryKey: cellResultQuery(run.id, stepKey, serverId).queryKey });
  }, [refetchKey, client, run.id, stepKey, serverId]);
  if (!result) return error ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : null;
  const step = run.steps.find(({ key }) => key === stepKey);
  return (
    <Box p="0 12px 10px">
      <Group gap="sm">
        {result.verdict ? <VerdictBadge verdict={result.verdict} /> : <StatusBadge status={result.status} />}
        {result.attempts > 1 && <Text size="xs">Attempt {result.attempts}</Text>}
        {result.changed === true && <Text size="xs">Changed the host</Text>}
        {result.exitCode !== null && <Text size="xs">Exit code {result.exitCode}</Text>}
        {result.signal !== null && <Text size="xs">Ended by {result.signal}</Text>}
        {result.startedAt !== null && (
          <Text size="xs" c="dimmed">
            took <Elapsed from={result.startedAt} to={result.finishedAt} />
          </Text>
        )}
        {step && (
          <Code flex="1 1 0" miw={120} className="rw-ellipsis rw-nowrap" title={step.command}>
            {step.command.split('\n')[0]}
          </Code>
        )}
      </Group>
      <AdviceText result={result} />
      <ResolutionNote result={result} />
      {result.outputs && Object.keys(result.outputs).length > 0 && (
        <Text size="xs" mt={6} className="rw-mono rw-wrap-anywhere">
          {Object.entries(result.outputs)
            .map(([name, value]) => `${name}=${value}`)
            .join('  ')}
        </Text>
      )}
      {result.diff && (
        <Box mt="xs">
          <DiffText lines={readDiff(result.diff)} label={result.verdict ? 'Predicted changes' : 'Changes'} />
        </Box>
      )}
      {result.droppedLines + result.droppedBytes > 0 && (
        <Text size="xs" c="dimmed" mt={6}>
          {droppedText({ lines: result.droppedLines, bytes: result.droppedBytes })} exceeded the limit per host and step
          and were discarded{result.droppedAfterLine === null ? '' : ` after line ${result.droppedAfterLine}`}.
        </Text>
      )}
    </Box>
  );
}

function ResolutionNote({ result: { resolution, check } }: { result: HostResult }) {
  if (!resolution) return check && <HostCheckNote check={check} />;
  const { kind, comment, by, at } = resolution;
  return (
    <Text size="xs" mt={6} component="div">
      {`The result was unknown; ${RESOLUTION_LABELS[kind]}`}
      {by && ` by ${by.name}`}
      {at && (
        <>
          , <RelativeTime at={at} />
        </>
      )}
      {comment ? `: ${comment}` : '.'}
    </Text>
  );
}

function AdviceText({ result }: { result: HostResult }) {
  if (!result.reason) return null;
  const bad = statusStyle(result.status).tone === 'bad';
  return (
    <Alert color={bad ? 'red' : 'gray'} mt="xs" py={8}>
      <Text>
        {result.reason.text} <Code>{result.reason.code}</Code>
      </Text>
    </Alert>
  );
}
