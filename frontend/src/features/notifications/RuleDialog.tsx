import { Divider, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { NOTIFICATION_CHANNELS } from '../../api/lists';
import { useCreateNotificationRule, useUpdateNotificationRule } from '../../api/queries/automation/notifications';
import type { NotificationRule } from '../../api/types';
import { DialogActions } from '../../ui/dialogs/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { FormModal } from '../../ui/forms/FormOverlay';
import { showErrorOnFields } from '../../ui/forms/form-errors';
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
import { SendTest } from './SendTest';
import { SubjectFields } from './SubjectFields';

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
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<RuleForm>({
    initialValues: rule ? formOf(rule) : NEW_RULE,
    validate: (values) => missing(values, rule),
  });
  const onError = (error: unknown) => {
    attempt.refused(error);
    setProblem(showErrorOnFields(form, error, (path) => fieldOf(path, form.getValues().type)));
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
            data={NOTIFICATION_CHANNELS.map(({ type, label }) => ({ value: type, label }))}
            allowDeselect={false}
            {...form.getInputProps('type')}
          />
          <ChannelFields form={form} rule={rule} mailConfigured={mailConfigured} />
          <SendTest
            what={ruleToTest}
            note={kept ? 'The test used the stored settings. Save first to test your edits.' : null}
          />
          <Divider />
          <SubjectFields form={form} />
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
