import { Button, Code, Group, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Can } from '../../access/Can';
import { deliveryQuery, useReplayDelivery } from '../../api/queries/automation/webhooks';
import type { DeliveryAttempt, DeliveryDetail, Webhook } from '../../api/types';
import { CopyButton } from '../../ui/copy/CopyButton';
import { VisibleText } from '../../ui/diff/VisibleText';
import { ErrorPanel } from '../../ui/feedback/ErrorPanel';
import { RowsSkeleton } from '../../ui/feedback/Skeletons';
import { FormModal } from '../../ui/forms/FormOverlay';
import { duration, exactTime } from '../../ui/format/format';
import { RelativeTime } from '../../ui/format/RelativeTime';
import { Fact } from '../../ui/page/Fact';
import { AnchorLink } from '../../ui/page/links';
import { Badge } from '../../ui/status/Badge';
import { eventWords } from './events';
import { DELIVERY_STYLES } from './webhook-state';

interface Props {
  webhook: Webhook;
  id: string;
  onClose: () => void;
}

export function DeliveryDialog({ webhook, id, onClose }: Props) {
  const delivery = useQuery(deliveryQuery(webhook.id, id));
  return (
    <FormModal opened onClose={onClose} title={delivery.data ? eventWords(delivery.data.type) : 'Delivery'} size="xl">
      {delivery.data ? (
        <DeliveryContent webhook={webhook} delivery={delivery.data} />
      ) : delivery.error ? (
        <ErrorPanel error={delivery.error} onRetry={() => void delivery.refetch()} />
      ) : (
        <RowsSkeleton rows={4} />
      )}
    </FormModal>
  );
}

function DeliveryContent({ webhook, delivery }: { webhook: Webhook; delivery: DeliveryDetail }) {
  const replay = useReplayDelivery();
  const { id, status, messageId, executionId, reason, body, history, nextAttemptAt } = delivery;
  const { tone, icon, label } = DELIVERY_STYLES[status];
  const unless = !webhook.enabled
    ? 'enable the webhook first'
    : status === 'pending'
      ? 'the delivery is already waiting'
      : null;
  return (
    <Stack gap="md">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <Fact label="State">
          <Badge tone={tone} icon={icon}>
            {label}
          </Badge>
        </Fact>
        <Fact label="Event time">
          <RelativeTime at={delivery.at} />
          {executionId !== null && (
            <>
              , in{' '}
              <AnchorLink to="/executions/$id" params={{ id: executionId }} search={{}} underline="always">
                this run
              </AnchorLink>
            </>
          )}
        </Fact>
        <Fact label="webhook-id (same for all attempts)">
          <span className="rw-mono rw-wrap-anywhere">{messageId}</span>{' '}
          <CopyButton value={messageId} what="message ID" />
        </Fact>
        {status === 'pending' && (
          <Fact label="Next attempt">
            <RelativeTime at={nextAttemptAt} never="After earlier messages of the same run" />
          </Fact>
        )}
      </SimpleGrid>
      {status !== 'delivered' && reason !== null && <Text>{reason.text}</Text>}
      {replay.error && <ErrorPanel error={replay.error} />}
      <Group>
        <Can role="operator" unless={unless}>
          <Button
            variant="default"
            loading={replay.isPending}
            onClick={() => replay.mutate({ id: webhook.id, deliveryId: id })}
          >
            Replay
          </Button>
        </Can>
      </Group>
      <Stack gap="xs" component="section" aria-label="Attempts">
        <Text fw={600}>Attempts</Text>
        {history.length === 0 && <Text c="dimmed">None yet.</Text>}
        {history.map((attempt) => (
          <Attempt key={attempt.number} attempt={attempt} />
        ))}
      </Stack>
      <Stack gap="xs" component="section" aria-label="Body">
        <Group justify="space-between">
          <Text fw={600}>Body</Text>
          <CopyButton value={body} what="body">
            Copy body
          </CopyButton>
        </Group>
        <Code block tabIndex={0} mah={320} className="rw-scroll" aria-label="Message body">
          <VisibleText text={formatJson(body)} />
        </Code>
      </Stack>
    </Stack>
  );
}

function Attempt({ attempt }: { attempt: DeliveryAttempt }) {
  const { number, at, durationMs, httpStatus, reason, answer, truncated } = attempt;
  return (
    <Paper p="sm" withBorder data-testid="attempt">
      <Stack gap={4}>
        <Text>
          <b>{number}.</b> {exactTime(at)}, {httpStatus === null ? 'no response' : `status ${httpStatus}`} after{' '}
          {duration(durationMs)}
        </Text>
        {reason !== null && <Text c="dimmed">{reason.text}</Text>}
        {answer !== null && answer !== '' && (
          <Code block tabIndex={0} mah={160} className="rw-scroll" aria-label={`Response to attempt ${number}`}>
            <VisibleText text={answer} />
          </Code>
        )}
        {truncated && (
          <Text size="xs" c="dimmed">
            First kilobyte only.
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

const formatJson = (json: string): string => JSON.stringify(JSON.parse(json), null, 2);
