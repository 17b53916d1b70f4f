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
  /** Undefined: a new rule. */
  rule: NotificationRule | undefined;
  mailConfigured: boolean;
}

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
          description="Anyone who knows the topic can read it, unless the server protects it."
          withAsterisk
          {...form.getInputProps('topic')}
        />
        <PasswordInput
          label="Access token"
          description={
            stored
              ? 'A stored token is in use and not shown. It stays unless you enter another token or server.'
              : 'Only for topics with restricted publishing.'
          }
          autoComplete="off"
          {...form.getInputProps('token')}
        />
        {stored && (
          <Checkbox label="Remove stored token" {...form.getInputProps('removeToken', { type: 'checkbox' })} />
        )}
      </Stack>
    );
  return (
    <Stack gap="sm">
      <PasswordInput
        label="Incoming webhook URL"
        description={
          stored
            ? `A stored URL at ${rule.channel.host ?? ''} is in use and not shown. Leave empty to keep it.`
            : 'Anyone with this URL can post messages. It is stored encrypted and never shown again.'
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
        <Alert color="yellow" title="E-mail is not configured">
          Set RUNWARD_SMTP_URL and RUNWARD_SMTP_FROM on the server. Until then, messages of this rule fail.
        </Alert>
      )}
      <MultiSelect
        label="Members"
        description="Sent only to active members who can view the environment."
        data={can('admin') ? listed : known}
        searchable
        {...form.getInputProps('members')}
      />
      <TagsInput
        label="Addresses"
        description="Additional recipients. They receive all messages of this rule. Press Enter after each address. Recipients do not see each other."
        placeholder="ops@example.org"
        maxTags={50}
        splitChars={[',', ';', ' ']}
        {...form.getInputProps('addresses')}
      />
    </Stack>
  );
}
