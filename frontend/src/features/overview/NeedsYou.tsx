import { Button, Paper, Text } from '@mantine/core';
import { IconHelpCircle, IconPlayerPause, IconShieldQuestion } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useDecideProtectionChange } from '../../api/queries/inventory/protection-changes';
import type { ExecutionSummary, ProtectionChange } from '../../api/types';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { changeTexts } from '../../ui/environments/change-texts';
import { plural } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { AnchorLink } from '../../ui/page/links';
import { runStatusLabel } from '../../ui/status/statuses';
import { RunName } from '../../ui/runs/RunName';
import classes from './overview.module.css';
import { Section } from './Section';

interface Props {
  runs: readonly ExecutionSummary[];
  changes: readonly ProtectionChange[];
  /** Whether more runs wait than `runs`. */
  more: boolean;
  onDecide: (runId: string) => void;
}

/** Everything that only the signed-in member can continue, newest first, with the action in place. */
export function NeedsYou({ runs, changes, more, onDecide }: Props) {
  const items = [
    ...runs.map((run) => ({ at: run.updatedAt, key: run.id, row: <WaitingRun run={run} onDecide={onDecide} /> })),
    ...changes.map((change) => ({
      at: change.requestedAt,
      key: change.id,
      row: <WaitingChange change={change} />,
    })),
  ].toSorted((a, b) => b.at.localeCompare(a.at));
  return (
    <Section
      title="Waiting for you"
      note={`${items.length}${more ? '+' : ''}`}
      end={
        more && (
          <AnchorLink to="/executions" search={{ awaiting: 'me' }} size="sm">
            All waiting runs
          </AnchorLink>
        )
      }
    >
      <Paper component="ul" className={`${classes.rows} ${classes.needed}`} aria-label="Waiting for you">
        {items.map(({ key, row }) => (
          <li key={key} className={classes.row}>
            {row}
          </li>
        ))}
      </Paper>
    </Section>
  );
}

interface RowProps {
  icon: ReactNode;
  title: ReactNode;
  children: ReactNode;
  actions: ReactNode;
}

function Row({ icon, title, children, actions }: RowProps) {
  return (
    <>
      <span className={`${classes.rowIcon} ${classes.warn}`}>{icon}</span>
      <div className={classes.rowText}>
        <Text fw={550} component="div" className="rw-wrap-anywhere">
          {title}
        </Text>
        <Text size="xs" c="dimmed" component="div" className="rw-wrap-anywhere">
          {children}
        </Text>
      </div>
      <div className={classes.actions}>{actions}</div>
    </>
  );
}

function WaitingRun({ run, onDecide }: { run: ExecutionSummary; onDecide: (runId: string) => void }) {
  const isApproval = run.pauseReason === 'APPROVAL';
  const name = `${run.planName} in ${run.environmentName}`;
  return (
    <Row
      icon={
        run.finished ? <IconHelpCircle size={18} aria-hidden /> : <IconPlayerPause size={18} stroke={2} aria-hidden />
      }
      title={
        <AnchorLink to="/executions/$id" params={{ id: run.id }}>
          <RunName run={run} />
        </AnchorLink>
      }
      actions={
        <Button
          variant="filled"
          aria-label={`${isApproval ? 'Review' : 'Decide'}: ${name}`}
          onClick={() => onDecide(run.id)}
        >
          {isApproval ? 'Review' : 'Decide'}
        </Button>
      }
    >
      {run.finished ? 'Unknown results' : runStatusLabel(run)} · {plural(run.hostCount, 'host')} · {run.startedBy.name},{' '}
      <RelativeTime at={run.createdAt} />
      {run.note && ` · ${run.note}`}
    </Row>
  );
}

function WaitingChange({ change }: { change: ProtectionChange }) {
  const decide = useDecideProtectionChange(change.environmentId);
  const answer = (verb: 'agree' | 'reject') => decide.mutate({ changeId: change.id, verb });
  return (
    <Row
      icon={<IconShieldQuestion size={18} aria-hidden />}
      title={
        <AnchorLink to="/environments/$id" params={{ id: change.environmentId }} search={{ tab: 'protection' }}>
          Protection change in {change.environmentName}
        </AnchorLink>
      }
      actions={
        <>
          <Button variant="default" loading={decide.isPending} onClick={() => answer('reject')}>
            Reject change
          </Button>
          <Button variant="filled" loading={decide.isPending} onClick={() => answer('agree')}>
            Agree to change
          </Button>
        </>
      }
    >
      {changeTexts(change.settings).join('. ')}. {change.requestedBy.name}, <RelativeTime at={change.requestedAt} />:{' '}
      {change.reason}
      {decide.error && <ErrorPanel error={decide.error} />}
    </Row>
  );
}
