import { nameOfStep } from '../run/step-name';
import { Button, Group, Paper, Text } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconX } from '@tabler/icons-react';
import { type ReactNode, useCallback, useState } from 'react';
import { fetchOutputFile, type OutputForm } from '../../../api/queries/runs/executions';
import type { Execution } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { AnchorLink } from '../../../ui/page/links';
import { plural } from '../../../ui/format/format';
import { saveFile } from '../../../ui/copy/save-file';
import type { Cell } from '../run/run-cells.reducer';
import { CellSummary } from './CellSummary';
import { HitPanel } from './search/HitPanel';
import { lineTime, nextTimeForm, toTimeForm } from './lines/line-times';
import { LogPanel } from './log/LogPanel';
import { OutputToolbar } from './OutputToolbar';
import type { Match } from './search/match';
import classes from './lines/output.module.css';
import type { Line } from './lines/line';

const route = getRouteApi('/app/executions/$id');

const FILE_ENDINGS: Record<OutputForm, string> = { text: '.txt', ndjson: '.ndjson' };

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
  const { step, host, stream, q = '', match, line, lineTo } = route.useSearch();
  const navigate = useNavigate({ from: '/executions/$id' });
  const [storedTimes, setTimes] = useLocalStorage<unknown>({ key: 'runward-output-times', defaultValue: 'off' });
  const times = toTimeForm(storedTimes);
  const timeOf = useCallback(({ at }: Pick<Line, 'at'>) => lineTime(times, at, run.startedAt), [times, run.startedAt]);
  const [wide, setWide] = useState(false);
  const [wrap, setWrap] = useLocalStorage({ key: 'runward-output-wrap', defaultValue: false });
  const [raw, setRaw] = useLocalStorage({ key: 'runward-output-raw', defaultValue: false });
  const filters = { stepKey: step, serverId, stream };
  const [count, setCount] = useState<number | null>(null);
  const download = useMutation({
    mutationFn: (form: OutputForm) =>
      fetchOutputFile(run.id, { ...filters, q: match === undefined ? q || undefined : undefined }, form),
    onSuccess: (file, form) =>
      saveFile([run.planName, host, step].filter(Boolean).join(' ') + FILE_ENDINGS[form], file),
  });
  const pick = useCallback(
    ({ stepKey, serverName, number }: Line, isRange: boolean) =>
      void navigate({
        search: (before) => {
          const isSameLog = before.step === stepKey && before.host === serverName;
          const from = isRange && isSameLog ? before.line : undefined;
          return {
            ...before,
            ...{ step: stepKey, host: serverName, q: undefined, hit: undefined },
            ...{ line: Math.min(from ?? number, number), lineTo: from ? Math.max(from, number) : undefined },
          };
        },
        replace: Boolean(host && step),
      }),
    [navigate, host, step],
  );
  const set = (change: { q?: string; match?: Match; stream?: 'stdout' | 'stderr' }) =>
    void navigate({
      search: (before) => ({ ...before, line: undefined, lineTo: undefined, hit: undefined, ...change }),
      replace: true,
    });

  const common = {
    ...{ run, filters, outputVersion, live, timeOf, wrap, raw },
    onSelectLine: pick,
  };

  return (
    <Paper component="section" aria-label="Output" data-wide={wide || undefined} className={`rw-clip ${classes.panel}`}>
      <Group justify="space-between" gap="xs" p="xs">
        <OutputTitle run={run} step={step} host={host} serverId={serverId}>
          {q === '' && count !== null && (
            <Text size="xs" c="dimmed" role="status">
              {plural(count, 'line')}
            </Text>
          )}
        </OutputTitle>
        <OutputToolbar
          q={q}
          match={match}
          stream={stream}
          times={times}
          wrap={wrap}
          raw={raw}
          onRaw={setRaw}
          downloading={download.isPending}
          onSearch={(value) => set({ q: value })}
          onMatch={(value) => set({ match: value })}
          onStream={(value) => set({ stream: value })}
          onTimes={() => setTimes(nextTimeForm(times))}
          onWrap={setWrap}
          wide={wide}
          onWide={() => setWide(!wide)}
          onDownload={(form) => download.mutate(form)}
        />
      </Group>
      {step && serverId && (
        <CellSummary run={run} stepKey={step} serverId={serverId} cell={cell} outputVersion={outputVersion} />
      )}
      {Boolean(download.error) && <ErrorPanel error={download.error} title="The output could not be downloaded" />}
      {q === '' ? (
        <LogPanel
          key={`${step} ${serverId} ${stream}`}
          {...common}
          cell={cell}
          marked={line === undefined ? null : { from: line, to: Math.max(line, lineTo ?? line) }}
          searchTerm=""
          originOf={lineOrigin(run.steps, host, step)}
          onCount={setCount}
        />
      ) : (
        <HitPanel key={`${step} ${serverId} ${stream} ${match} ${q}`} {...common} q={q} match={match} />
      )}
    </Paper>
  );
}

/** Returns the text before a line: what the selection leaves open, host or step. Null = nothing. */
const lineOrigin = (steps: Execution['steps'], host: string | undefined, step: string | undefined) =>
  host && step
    ? null
    : ({ serverName, stepKey }: Line) =>
        [host ? null : serverName, step ? null : nameOfStep(steps, stepKey)].filter(Boolean).join(' · ');

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
              search: (before) => ({ ...before, step: undefined, host: undefined, line: undefined, lineTo: undefined }),
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
