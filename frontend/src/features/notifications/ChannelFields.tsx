import { Alert, Checkbox, MultiSelect, PasswordInput, Stack, TagsInput, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useAccess } from '../../access/useAccess';
import { memberChoicesQuery } from '../../api/queries/access/members';
import { meQuery } from '../../api/queries/access/session';
import type { NotificationRule } from '../../api/types';
import { type ChannelField, channelOfType } from './channels';
import { inputOf, type RuleForm } from './rule-form';

interface Props {
  form: UseFormReturnType<RuleForm>;
  /** Undefined: a new rule. */
  rule: NotificationRule | undefined;
  mailConfigured: boolean;
}

export function ChannelFields({ form, rule, mailConfigured }: Props) {
  const { help, fields } = channelOfType(form.values.type);
  return (
    <Stack gap="sm">
      {fields.map((field) =>
        field.kind === 'recipients' ? (
          <RecipientFields key={field.name} form={form} rule={rule} mailConfigured={mailConfigured} />
        ) : field.secret ? (
          <SecretField key={field.name} field={field} form={form} rule={rule} />
        ) : (
          <TextInput
            key={field.name}
            label={field.label}
            description={field.hint}
            placeholder={field.placeholder ?? undefined}
            withAsterisk={field.required}
            {...form.getInputProps(inputOf(field))}
          />
        ),
      )}
      {help !== null && (
        <Text size="xs" c="dimmed">
          {help}
        </Text>
      )}
    </Stack>
  );
}

function SecretField({ field, form, rule }: Pick<Props, 'form' | 'rule'> & { field: ChannelField }) {
  const stored = rule?.channel.type === form.values.type && rule.channel.set;
  return (
    <>
      <PasswordInput
        label={field.label}
        description={stored ? field.storedHint?.replace('{host}', rule.channel.host ?? '') : field.hint}
        placeholder={field.placeholder ?? undefined}
        withAsterisk={field.required && !stored}
        autoComplete="off"
        {...form.getInputProps(inputOf(field))}
      />
      {stored && !field.required && (
        <Checkbox label={`Remove stored ${field.noun}`} {...form.getInputProps('removeSecret', { type: 'checkbox' })} />
      )}
    </>
  );
}

function RecipientFields({ form, rule, mailConfigured }: Props) {
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
