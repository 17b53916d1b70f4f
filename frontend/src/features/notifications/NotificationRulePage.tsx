import { Alert, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';
import {
  notificationRuleQuery,
  notificationRulesQuery,
  useDeleteNotificationRule,
} from '../../api/queries/automation/notifications';
import { planChoicesQuery } from '../../api/queries/plans/plans';
import type { NotificationRule } from '../../api/types';
import { DeleteDialog } from '../../ui/dialogs/DeleteDialog';
import { Fact } from '../../ui/page/Fact';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { channelInWords, channelLabel, missingSecret } from './channels';
import { DeliveriesTable } from './DeliveriesTable';
import { OperatorOnly } from './OperatorOnly';
import { RuleDialog } from './RuleDialog';
import { eventLabel } from './rule-words';
import { SendTest } from './SendTest';
import { ActionButton } from '../../ui/page/ActionButton';
import { UnloadedPage } from '../../ui/page/UnloadedPage';

const PAGE_TITLE = 'Notification rule';
const route = getRouteApi('/app/notifications/$id');

export function NotificationRulePage() {
  const { id } = route.useParams();
  return (
    <OperatorOnly title={PAGE_TITLE}>
      <LoadedRule key={id} id={id} />
    </OperatorOnly>
  );
}

function LoadedRule({ id }: { id: string }) {
  const rule = useQuery(notificationRuleQuery(id));
  if (rule.data) return <RuleView rule={rule.data} />;
  return <UnloadedPage title={PAGE_TITLE} query={rule} />;
}

function RuleView({ rule }: { rule: NotificationRule }) {
  const { open } = route.useSearch();
  const navigate = useNavigate({ from: '/notifications/$id' });
  const remove = useDeleteNotificationRule();
  const rules = useInfiniteQuery(notificationRulesQuery());
  const show = (what: 'edit' | 'delete' | undefined) =>
    void navigate({ search: { open: what }, replace: what === undefined });
  const close = () => show(undefined);
  return (
    <>
      <PageHeader
        title={rule.name}
        above={
          <AnchorLink to="/notifications" search={{}} size="xs">
            Notifications
          </AnchorLink>
        }
        description={rule.enabled ? `Sends by ${channelLabel(rule.channel.type)}` : 'Disabled: sends nothing.'}
        actions={
          <>
            <ActionButton icon={IconPencil} onClick={() => show('edit')}>
              Edit
            </ActionButton>
            <ActionButton icon={IconTrash} onClick={() => show('delete')}>
              Delete
            </ActionButton>
          </>
        }
      />
      <Stack gap="md">
        <RuleNotices rule={rule} />
        <Facts rule={rule} />
        <SendTest what={() => ({ id: rule.id })} />
        <Title order={2} size="h4">
          Messages
        </Title>
        <DeliveriesTable ruleId={rule.id} />
      </Stack>
      {open === 'edit' && (
        <RuleDialog
          rule={rule}
          mailConfigured={rules.data?.pages[0]?.mailConfigured ?? true}
          onSaved={close}
          onClose={close}
        />
      )}
      <DeleteDialog
        record={open === 'delete' ? rule : null}
        name={rule.name}
        confirm="Delete notification rule"
        remove={remove}
        onDeleted={() => void navigate({ to: '/notifications', search: {} })}
        onClose={close}
      >
        The rule sends no more messages. Waiting messages and the history of sent messages are deleted.
      </DeleteDialog>
    </>
  );
}

function RuleNotices({ rule }: { rule: NotificationRule }) {
  const missing = missingSecret(rule);
  return (
    <>
      {!rule.owner?.active && (
        <Alert
          color="orange"
          title={`${rule.owner ? `The owner, ${rule.owner.name},` : 'The owner'} is no longer active`}
        >
          A rule only sends what its owner can view, so this rule sends nothing. Edit and save it to become the owner.
        </Alert>
      )}
      {missing && (
        <Alert color="orange" title={`${missing.charAt(0).toUpperCase()}${missing.slice(1)} missing`}>
          Edit the rule and enter the {missing}.
        </Alert>
      )}
    </>
  );
}

function Facts({ rule }: { rule: NotificationRule }) {
  const environments = useQuery(environmentChoicesQuery);
  const plans = useQuery(planChoicesQuery);
  const { events, environmentIds, planIds, hiddenEnvironments, hiddenPlans, owner } = rule;
  return (
    <Paper p="md">
      <Group gap="12px 28px" align="flex-start">
        <Fact label="Recipients">{channelInWords(rule) || 'None'}</Fact>
        <Fact label="Environments">{namesOf(environmentIds, environments.data?.items, hiddenEnvironments)}</Fact>
        <Fact label="Plans">{namesOf(planIds, plans.data?.items, hiddenPlans)}</Fact>
        <Fact label="Owner">{owner?.name ?? 'Removed member'}</Fact>
      </Group>
      <Text size="xs" c="dimmed" mt="sm" mb={2}>
        Events
      </Text>
      <Stack gap={2} component="ul" m={0} pl="md">
        {events.map((event) => (
          <li key={event}>{eventLabel(event)}</li>
        ))}
      </Stack>
    </Paper>
  );
}

function namesOf(
  ids: readonly string[] | null,
  known: readonly { id: string; name: string }[] | undefined,
  hidden: number,
): string {
  if (ids === null) return 'All';
  const names = ids.map((id) => known?.find((each) => each.id === id)?.name ?? '…');
  return [...names, ...(hidden > 0 ? [`${hidden} deleted or not visible to you`] : [])].join(', ');
}
