import { Alert, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconAlertTriangle, IconCheck, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { meQuery } from '../../../api/queries/access/session';
import { reviewQuery, useWithdraw } from '../../../api/queries/runs/steering';
import type { Approval, Execution, Pause } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { CancelRun } from '../header/CancelRun';
import { Evidence } from '../review/Evidence';
import { ApprovalDialog, type Verb } from './ApprovalDialog';
import { ApprovalFacts } from './ApprovalFacts';
import { usePermitted } from '../run/useRunObstacle';
import { describeApprovals, headline, mayReject, describeObstacle } from '../run/pause-text';
import { PauseBar } from './PauseBar';
import { useThumbBar } from '../run/ThumbBar';
import { ActionButton } from '../../../ui/page/ActionButton';

interface Props {
  run: Execution;
  pause: Pause;
  approval: Approval;
}

/** Approve, reject or withdraw, with the evidence. An approval is valid for the displayed digest. */
export function ApprovalPanel({ run, pause, approval }: Props) {
  const { data: me } = useQuery(meQuery);
  const review = useQuery(reviewQuery(run.id));
  const withdraw = useWithdraw(run.id);
  const [verb, setVerb] = useState<Verb | null>(null);
  const [wasRenewed, setWasRenewed] = useState(false);
  const onPhone = useThumbBar();
  const obstacle = describeObstacle(approval, run.environmentName);
  const permitted = usePermitted(run, 'approve', obstacle !== null);
  const mine = approval.decisions.some(({ user }) => user.id === me?.id);
  const stale = review.data !== undefined && review.data.digest !== run.digest;
  const unread = review.data ? (stale ? 'Load the changed evidence first' : null) : 'The evidence is still loading';
  const reload = () => {
    setVerb(null);
    setWasRenewed(true);
    void review.refetch();
  };

  return (
    <>
      <PauseBar
        pause={pause}
        title={headline(run, pause, null)}
        actions={
          <>
            {onPhone && <CancelRun run={run} />}
            {mine && (
              <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
                Withdraw approval
              </Button>
            )}
            <ActionButton
              role="viewer"
              unless={mayReject(approval) ? unread : obstacle}
              icon={IconX}
              onClick={() => setVerb('reject')}
            >
              Reject
            </ActionButton>
            <ActionButton
              role="viewer"
              unless={obstacle ?? unread}
              icon={IconCheck}
              variant="filled"
              onClick={() => setVerb('approve')}
            >
              Approve
            </ActionButton>
          </>
        }
      >
        <Group gap="6px 18px" mt={8}>
          <Text fw={550} data-testid="approvals">
            {describeApprovals(approval)}
          </Text>
          {obstacle && (
            <Text>
              {obstacle} {permitted}
            </Text>
          )}
        </Group>
        {Boolean(withdraw.error) && <ErrorPanel error={withdraw.error} />}
      </PauseBar>
      <Paper p="md" mb="md" component="section" aria-label="Content to approve">
        <Stack gap="md">
          <Title order={2} size="h4">
            Content to approve
          </Title>
          <ApprovalFacts approval={approval} />
          {(stale || wasRenewed) && <ChangedNotice stale={stale} loading={review.isFetching} onReload={reload} />}
          {review.error && <ErrorPanel error={review.error} onRetry={() => void review.refetch()} />}
          {review.data ? <Evidence review={review.data} /> : !review.error && <RowsSkeleton rows={6} />}
        </Stack>
      </Paper>
      {verb && review.data && (
        <ApprovalDialog
          run={run}
          verb={verb}
          digest={review.data.digest}
          onStale={reload}
          onClose={() => setVerb(null)}
        />
      )}
    </>
  );
}

interface ChangedNoticeProps {
  /** True: the run has changed since its content was loaded. False: the current content was loaded. */
  stale: boolean;
  loading: boolean;
  onReload: () => void;
}

function ChangedNotice({ stale, loading, onReload }: ChangedNoticeProps) {
  return (
    <Alert color="yellow" role="alert" icon={<IconAlertTriangle aria-hidden />}>
      <Group justify="space-between" gap="xs">
        <Text>
          {stale
            ? 'The run has changed since this content was loaded. You can approve only what you have seen.'
            : 'The run changed and its content was reloaded. Review it again before you approve.'}
        </Text>
        {stale && (
          <Button variant="default" loading={loading} onClick={onReload}>
            Load current content
          </Button>
        )}
      </Group>
    </Alert>
  );
}
