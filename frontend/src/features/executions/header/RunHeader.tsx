import { Menu } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { toProblem } from '../../../api/errors';
import type { StreamState } from '../../../api/event-stream';
import { type ExportForm, fetchExport } from '../../../api/queries/runs/run-exports';
import { pauseAnswersQuery } from '../../../api/queries/runs/steering';
import type { Execution, ExecutionHost } from '../../../api/types';
import { ExportMenu } from '../../../ui/copy/ExportMenu';
import { copyText } from '../../../ui/copy/copy-text';
import { AnchorLink, MenuItemLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { AwaitsYou } from '../../../ui/status/AwaitsYou';
import { StatusBadge } from '../../../ui/status/StatusBadge';
import { runStatusLabel } from '../../../ui/status/statuses';
import { ChangesSinceSuccess } from './ChangesSinceSuccess';
import { CancelRun } from './CancelRun';
import { MoreMenu, PinnedBadge } from './MoreMenu';
import { RerunMenu } from '../rerun/RerunMenu';
import { runMarkdown } from './run-markdown';
import { tabIcon } from './tab-icon';
import { tabTitle } from './tab-title';
import { useTabIcon } from './useTabIcon';
import { useFailureCauses } from '../run/useFailureCauses';
import { RunFacts } from './RunFacts';
import { RunNotices } from './RunNotices';
import { SteerMenu } from './SteerMenu';
import { StreamNote } from './StreamNote';
import { useThumbBar } from '../run/ThumbBar';

const EXPORTS: { format: ExportForm; label: string; file: string }[] = [
  { format: 'junit', label: 'Results as JUnit (XML)', file: 'results.xml' },
  { format: 'results', label: 'Results as NDJSON', file: 'results.ndjson' },
  { format: 'output', label: 'Output as NDJSON', file: 'output.ndjson' },
];

interface Props {
  run: Execution;
  hosts: readonly ExecutionHost[];
  stream: StreamState;
}

export function RunHeader({ run, hosts, stream }: Props) {
  useTabIcon(tabIcon(run));
  return (
    <>
      <PageHeader
        title={run.planName}
        tabTitle={tabTitle(run)}
        above={
          <AnchorLink to="/executions" size="xs">
            Runs
          </AnchorLink>
        }
        badge={
          <>
            <StatusBadge status={run.status} label={runStatusLabel(run)} testId="run-status" />
            {run.awaitsYou && <AwaitsYou />}
            {run.pin && !run.pin.legalHold && <PinnedBadge pin={run.pin} />}
            <StreamNote state={stream} />
          </>
        }
        actions={<RunActions run={run} hosts={hosts} />}
      />
      <RunFacts run={run} />
      <ChangesSinceSuccess run={run} />
      <RunNotices run={run} />
    </>
  );
}

function RunActions({ run, hosts }: Omit<Props, 'stream'>) {
  const onPhone = useThumbBar();
  return (
    <>
      {!run.finished && !onPhone && <CancelRun run={run} />}
      <ExportMenu
        formats={EXPORTS.map((each) => ({ ...each, file: `${run.planName} ${run.id.slice(-8)} ${each.file}` }))}
        download={(form) => fetchExport(run.id, form)}
        describeError={(error) => ({ title: toProblem(error).title, message: toProblem(error).message })}
        width={240}
      >
        <CopySummary run={run} hosts={hosts} />
        {/* The URL has the selection, the filters and the line. */}
        <Menu.Item onClick={() => void copy(window.location.href, 'link')}>Copy link to this view</Menu.Item>
        <MenuItemLink to="/executions/$id/report" params={{ id: run.id }}>
          Report to print
        </MenuItemLink>
      </ExportMenu>
      {!run.finished && <SteerMenu run={run} />}
      {run.finished && <RerunMenu run={run} hosts={hosts} />}
      <MoreMenu run={run} />
    </>
  );
}

function CopySummary({ run, hosts }: Omit<Props, 'stream'>) {
  const causes = useFailureCauses(run);
  const answers = useQuery(pauseAnswersQuery(run.id));
  const copySummary = () => {
    const names = new Map(hosts.map(({ serverId, name }) => [serverId, name]));
    const nameOf = (serverId: string) => names.get(serverId) ?? serverId;
    return copy(runMarkdown(run, causes.data?.items ?? [], answers.data?.items ?? [], nameOf), 'summary');
  };
  return (
    <Menu.Item disabled={causes.isLoading || answers.isLoading} onClick={() => void copySummary()}>
      Copy summary as Markdown
    </Menu.Item>
  );
}

async function copy(text: string, what: string): Promise<void> {
  const copied = await copyText(text);
  notifications.show(
    copied
      ? { message: `The ${what} was copied.` }
      : { color: 'red', message: `The browser did not copy the ${what}.` },
  );
}
