import { Checkbox, Divider, MultiSelect, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAccess } from '../../access/useAccess';
import type { ApiProblem } from '../../api/errors';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';
import { useCreateNotificationRule, useUpdateNotificationRule } from '../../api/queries/automation/notifications';
import { planChoicesQuery } from '../../api/queries/plans/plans';
import type { NotificationRule } from '../../api/types';
import { DialogActions } from '../../ui/forms/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { FormModal } from '../../ui/forms/FormOverlay';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../ui/forms/useIdempotencyKey';
import { ChannelFields } from './ChannelFields';
import {
  channelOf,
  fieldOf,
  formOf,
  keepsSecret,
  missing,
  channelErrors,
  NEW_RULE,
  type RuleForm,
  toCreate,
  toUpdate,
} from './rule-form';
import { CHANNELS, EVENTS } from './rule-words';
import { SendTest } from './SendTest';

interface Props {
  /** Absent: a new rule. */
  rule?: NotificationRule;
  mailConfigured: boolean;
  onSaved: (rule: NotificationRule) => void;
  onClose: () => void;
}

/** Creates or edits a rule. Can send a test before saving. */
export function RuleDialog({ rule: given, mailConfigured, onSaved, onClose }: Props) {
  const [rule] = useState(given);
  const create = useCreateNotificationRule();
  const update = useUpdateNotificationRule();
  const { can } = useAccess();
  const attempt = useIdempotencyKey();
  const environments = useQuery(environmentChoicesQuery);
  const plans = useQuery(planChoicesQuery);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<RuleForm>({
    initialValues: rule ? formOf(rule) : NEW_RULE,
    validate: (values) => missing(values, rule),
  });
  const onError = (error: unknown) => {
    attempt.refused(error);
    const { type } = form.values;
    const toFormErrors = (errors: Record<string, string>) =>
      form.setErrors(
        Object.fromEntries(Object.entries(errors).map(([path, message]) => [fieldOf(path, type) ?? path, message])),
      );
    setProblem(showErrorOnForm({ setErrors: toFormErrors }, error, (path) => fieldOf(path, type) !== null));
  };
  const submit = form.onSubmit((values) => {
    setProblem(null);
    if (rule) {
      update.mutate({ rule, body: toUpdate(values, rule) }, { onSuccess: onSaved, onError });
      return;
    }
    const body = toCreate(values);
    create.mutate({ body, key: attempt.keyFor(body) }, { onSuccess: onSaved, onError });
  });
  const kept = rule !== undefined && keepsSecret(form.values, rule);
  const ruleToTest = () => {
    if (kept && rule) return { id: rule.id };
    const faults = channelErrors(form.values, rule);
    form.setErrors(faults);
    if (Object.keys(faults).length > 0) return null;
    return { body: { name: form.values.name.trim() || 'New rule', channel: channelOf(form.values) } };
  };
  // Operators cannot add events that are reported only to admins, but can remove them.
  const isOffered = ({ value }: (typeof EVENTS)[number]) =>
    value !== 'webhook_disabled' || can('admin') || form.values.events.includes(value);
  const named = (data: { items: { id: string; name: string }[] } | undefined) =>
    (data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }));
  return (
    <FormModal
      opened
      onClose={onClose}
      title={rule ? `Edit ${rule.name}` : 'New notification rule'}
      size="lg"
      closeOnClickOutside={false}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput
            label="Name"
            placeholder="Production to the on-call channel"
            withAsterisk
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Select
            label="Channel"
            data={Object.entries(CHANNELS).map(([value, label]) => ({ value, label }))}
            allowDeselect={false}
            {...form.getInputProps('type')}
          />
          <ChannelFields form={form} rule={rule} mailConfigured={mailConfigured} />
          <SendTest
            what={ruleToTest}
            note={kept ? 'The test used the stored settings. Save first to test your edits.' : null}
          />
          <Divider />
          <Checkbox.Group label="Events" withAsterisk {...form.getInputProps('events')}>
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="xs" mt={6}>
              {EVENTS.filter(isOffered).map(({ value, label, hint }) => (
                <Checkbox key={value} value={value} label={label} description={hint} />
              ))}
            </SimpleGrid>
          </Checkbox.Group>
          <MultiSelect
            label="Environments"
            description="Empty: all environments that you can view, including future ones."
            data={named(environments.data)}
            searchable
            placeholder={form.values.environmentIds.length === 0 ? 'All' : undefined}
            {...form.getInputProps('environmentIds')}
          />
          <MultiSelect
            label="Plans"
            data={named(plans.data)}
            searchable
            placeholder={form.values.planIds.length === 0 ? 'All' : undefined}
            {...form.getInputProps('planIds')}
          />
          <Switch label="Enabled" {...form.getInputProps('enabled', { type: 'checkbox' })} />
          <FormErrors problem={problem} />
          <DialogActions onClose={onClose} pending={create.isPending || update.isPending}>
            {rule ? 'Save' : 'Create notification rule'}
          </DialogActions>
        </Stack>
      </form>
    </FormModal>
  );
}
