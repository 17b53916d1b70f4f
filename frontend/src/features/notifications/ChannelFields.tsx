import { Alert, Checkbox, MultiSelect, PasswordInput, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useAccess } from '../../access/useAccess';
import { memberChoicesQuery } from '../../api/queries/access/members';
import { meQuery } from '../../api/queries/access/session';
import type { NotificationRule } from '../../api/types';
import type { RuleForm } from './rule-form';

interface Props {
  form: UseFormReturnType<RuleForm>;
  /** Undefined: a new one. */
  rule: NotificationRule | undefined;
  mailConfigured: boolean;
}

/** What each kind of channel needs. */
export function ChannelFields({ form, rule, mailConfigured }: Props) {
  const { type } = form.values;
  const stored = rule?.channel.type === type && rule.channel.set;
  if (type === 'email') return <MailFields form={form} rule={rule} mailConfigured={mailConfigured} />;
  if (type === 'ntfy')
    return (
      <Stack gap="sm">
        <TextInput label="Server" placeholder="https://ntfy.sh" withAsterisk {...form.getInputProps('server')} />
        <TextInput
          label="Topic"
          description="Whoever knows it can read along, unless the server protects it."
          withAsterisk
          {...form.getInputProps('topic')}
        />
        <PasswordInput
          label="Access token"
          description={
            stored
              ? 'One is stored, and is not shown. It stays unless you type another, or name another server.'
              : 'For topics that not everybody may publish to.'
          }
          autoComplete="off"
          {...form.getInputProps('token')}
        />
        {stored && (
          <Checkbox label="Remove the stored token" {...form.getInputProps('dropToken', { type: 'checkbox' })} />
        )}
      </Stack>
    );
  return (
    <Stack gap="sm">
      <PasswordInput
        label="Address of the incoming webhook"
        description={
          stored
            ? `One at ${rule.channel.host ?? ''} is stored, and is not shown. It stays unless you type another.`
            : 'Whoever has it can post there: it is kept encrypted and never shown again.'
        }
        placeholder="https://…"
        withAsterisk={!stored}
        autoComplete="off"
        {...form.getInputProps('webhook')}
      />
      <Text size="xs" c="dimmed">
        {type === 'slack'
          ? 'In Slack: an app with an incoming webhook. In Mattermost and Rocket.Chat: Integrations, Incoming webhook.'
          : 'In Teams: Workflows, “Post to a channel when a webhook request is received”.'}
      </Text>
    </Stack>
  );
}

function MailFields({ form, rule, mailConfigured }: Props) {
  const { can } = useAccess();
  const { data: me } = useQuery(meQuery);
  const members = useQuery({ ...memberChoicesQuery, enabled: can('admin') });
  const listed = (members.data?.items ?? []).map(({ id, name, email }) => ({ value: id, label: `${name} (${email})` }));
  const known = [
    ...(me ? [{ value: me.id, label: `${me.name} (you)` }] : []),
    ...(rule?.channel.members ?? [])
      .filter(({ id }) => id !== me?.id)
      .map(({ id, name }) => ({ value: id, label: name })),
  ];
  return (
    <Stack gap="sm">
      {!mailConfigured && (
        <Alert color="yellow" title="This installation sends no mail">
          Whoever runs it has to set RUNWARD_SMTP_URL and RUNWARD_SMTP_FROM first. Until then, mail of this rule fails.
        </Alert>
      )}
      <MultiSelect
        label="Members"
        description="Each gets it while they are active and may see the environment."
        data={can('admin') ? listed : known}
        searchable
        {...form.getInputProps('members')}
      />
      <TagsInput
        label="Addresses"
        description="Beside members: they get whatever this rule tells. Type one, then Enter. Recipients do not see each other."
        placeholder="ops@example.org"
        maxTags={50}
        splitChars={[',', ';', ' ']}
        {...form.getInputProps('addresses')}
      />
    </Stack>
  );
}
