import { nameOfStep } from '../run/step-name';
import { Button, Group, Paper, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { fetchOutputText } from '../../../api/queries/runs/executions';
import type { Execution } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { AnchorLink } from '../../../ui/page/links';
import { saveFile } from '../../../ui/copy/save-file';
import type { Cell } from '../run/run-cells.reducer';
import { CellSummary } from './CellSummary';
import { OutputCount } from './OutputCount';
import { OutputBeginning, OutputEnd } from './OutputEnds';
import { OutputLines } from './OutputLines';
import { OutputToolbar } from './OutputToolbar';
import { EmptyOutput } from './EmptyOutput';
import type { Line } from './run-output.reducer';
import { useOutput } from './useOutput';

const route = getRouteApi('/app/executions/$id');

interface Props {
  run: Execution;
  /** ID of the host in the URL. */
  serverId: string | undefined;
  cell: Cell | undefined;
  outputVersion: number;
  live: boolean;
}

/** Output of the selection in the matrix: a cell, a step, a host, or the whole run. */
export function OutputPanel({ run, serverId, cell, outputVersion, live }: Props) {
  const { step, host, stream, q = '', line: marked } = route.useSearch();
  const navigate = useNavigate({ from: '/executions/$id' });
  const [times, setTimes] = useLocalStorage({ key: 'runward-output-times', defaultValue: false });
  const [wrap, setWrap] = useLocalStorage({ key: 'runward-output-wrap', defaultValue: false });
  const filters = { stepKey: step, serverId, stream, q: q || undefined };
  // Follows the output only of an active run, and not if a link to a line opened the run.
  const [readToEnd, setReadToEnd] = useState(live && marked === undefined);
  const [attempt, setAttempt] = useState(0);
  const output = useOutput(run.id, filters, { readToEnd, marked, attempt }, outputVersion);
  const ends = {
    output,
    searched: q !== '',
    marked,
    onBeginning: () => {
      setReadToEnd(false);
      setAttempt(attempt + 1);
    },
    onEnd: () => setReadToEnd(true),
  };
  const download = useMutation({
    mutationFn: () => fetchOutputText(run.id, filters),
    onSuccess: (text) => saveFile([run.planName, host, step].filter(Boolean).join(' ') + '.txt', text),
  });
  const pick = ({ stepKey, serverName, number }: Line) =>
    void navigate({
      search: (before) => ({ ...before, step: stepKey, host: serverName, line: number, q: undefined }),
      replace: Boolean(host && step),
    });
  const set = (change: { q?: string; stream?: 'stdout' | 'stderr' }) =>
    void navigate({ search: (before) => ({ ...before, line: undefined, ...change }), replace: true });

  return (
    <Paper component="section" aria-label="Output" mt="md" className="rw-clip">
      <Group justify="space-between" gap="xs" p="xs">
        <OutputTitle run={run} step={step} host={host} serverId={serverId}>
          <OutputCount output={output} searched={q !== ''} />
        </OutputTitle>
        <OutputToolbar
          q={q}
          stream={stream}
          times={times}
          wrap={wrap}
          downloading={download.isPending}
          onSearch={(value) => set({ q: value })}
          onStream={(value) => set({ stream: value })}
          onTimes={setTimes}
          onWrap={setWrap}
          onDownload={() => download.mutate()}
        />
      </Group>
      {step && serverId && (
        <CellSummary run={run} stepKey={step} serverId={serverId} cell={cell} outputVersion={outputVersion} />
      )}
      {Boolean(output.error) && (
        <ErrorPanel error={output.error} onRetry={output.readMore} title="The output could not be loaded" />
      )}
      {Boolean(download.error) && <ErrorPanel error={download.error} title="The output could not be downloaded" />}
      <OutputBeginning {...ends} />
      {output.lines.length === 0 && !output.error ? (
        <EmptyOutput loading={output.loading} finished={!live} searched={q !== ''} />
      ) : (
        <OutputLines
          key={`${step} ${host} ${stream} ${q} ${attempt} ${readToEnd}`}
          lines={output.lines}
          dropped={output.dropped}
          live={readToEnd}
          times={times}
          wrap={wrap}
          searchTerm={q}
          marked={marked}
          originOf={lineOrigin(host, step)}
          onSelectLine={pick}
        />
      )}
      <OutputEnd {...ends} />
    </Paper>
  );
}

/** Returns the text before a line: what the selection leaves open, host or step. Null = nothing. */
const lineOrigin = (host: string | undefined, step: string | undefined) =>
  host && step
    ? null
    : ({ serverName, stepKey }: Line) => [host ? null : serverName, step ? null : stepKey].filter(Boolean).join(' · ');

interface TitleProps {
  run: Execution;
  step: string | undefined;
  host: string | undefined;
  serverId: string | undefined;
  children: ReactNode;
}

/** Selected host and step, with a button that clears the selection. */
function OutputTitle({ run, step, host, serverId, children }: TitleProps) {
  const navigate = useNavigate({ from: '/executions/$id' });
  const stepName = step === undefined ? undefined : nameOfStep(run.steps, step);
  const chosen = [host, stepName].filter(Boolean).join(' · ');
  return (
    <Group gap={6}>
      <Text fw={600} pl={4}>
        {chosen === '' ? 'All output' : chosen}
      </Text>
      {chosen !== '' && (
        <Button
          variant="subtle"
          color="gray"
          px={6}
          leftSection={<IconX size={14} aria-hidden />}
          onClick={() =>
            void navigate({
              search: (before) => ({ ...before, step: undefined, host: undefined, line: undefined }),
            })
          }
        >
          Show all
        </Button>
      )}
      {host && serverId && (
        <AnchorLink to="/servers/$id" params={{ id: serverId }} size="sm">
          Server {host}
        </AnchorLink>
      )}
      {children}
    </Group>
  );
}
