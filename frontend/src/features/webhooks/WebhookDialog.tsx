import { Alert, MultiSelect, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { IconInfoCircle } from '@tabler/icons-react';
import { useState } from 'react';
import type { ApiProblem } from '../../api/errors';
import { environmentChoicesQuery } from '../../api/queries/inventory/environments';
import { useCreateWebhook, useUpdateWebhook } from '../../api/queries/automation/webhooks';
import type { Webhook, WebhookEvent, WebhookWithSecret } from '../../api/types';
import { SecretOnce } from '../../ui/copy/SecretOnce';
import { DialogActions } from '../../ui/dialogs/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { FormModal } from '../../ui/forms/FormOverlay';
import { showErrorOnForm } from '../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../ui/forms/useIdempotencyKey';
import { EventChoice } from './EventChoice';

interface Props {
  /** Absent = a new webhook. */
  webhook?: Webhook;
  onSaved: (webhook: Webhook) => void;
  onClose: () => void;
}

interface Fields {
  name: string;
  url: string;
  events: WebhookEvent[];
  where: 'all' | 'some';
  environmentIds: string[];
  enabled: boolean;
}

const NEW: Fields = {
  name: '',
  url: '',
  events: ['execution.finished', 'approval.requested'],
  where: 'all',
  environmentIds: [],
  enabled: true,
};

const fieldsOf = ({ name, url, events, environments, environmentIds, enabled }: Webhook): Fields => ({
  ...{ name, url, events, enabled, where: environmentIds === null ? 'all' : 'some' },
  // Removes deleted environments, which the server would refuse.
  environmentIds: environments.filter((each) => each.name !== null).map(({ id }) => id),
});

const missing = {
  name: (value: string) => (value.trim() === '' ? 'Enter a name.' : null),
  url: (value: string) => (value.trim() === '' ? 'Enter the URL that receives messages.' : null),
  events: (value: string[]) => (value.length === 0 ? 'Choose at least one event.' : null),
  environmentIds: (value: string[], { where }: Fields) =>
    where === 'some' && value.length === 0 ? 'Choose at least one environment.' : null,
};

const FIELDS = ['name', 'url', 'events', 'environmentIds', 'enabled'];

/** Dialog to create or edit a webhook. Shows a new secret once. */
export function WebhookDialog({ webhook: given, onSaved, onClose }: Props) {
  const [webhook] = useState(given);
  const [saved, setSaved] = useState<WebhookWithSecret | null>(null);
  const secret = saved?.secret;
  const done = (answer: WebhookWithSecret) => (answer.secret === undefined ? onSaved(answer) : setSaved(answer));
  const title = webhook ? `Edit ${webhook.name}` : 'New webhook';
  return (
    <FormModal
      opened
      onClose={onClose}
      title={saved ? `Secret of ${saved.name}` : title}
      size="xl"
      closeOnClickOutside={false}
      closeOnEscape={saved === null}
      withCloseButton={saved === null}
    >
      {saved && secret !== undefined ? (
        <SecretOnce what="signing secret" value={secret} onDone={() => onSaved(saved)}>
          <Text>
            The receiver uses it to verify messages.{' '}
            {webhook && 'The URL has changed, so the previous secret is no longer valid.'}
          </Text>
        </SecretOnce>
      ) : (
        <WebhookForm webhook={webhook} onSaved={done} onClose={onClose} />
      )}
    </FormModal>
  );
}

function WebhookForm({ webhook, onSaved, onClose }: Props) {
  const create = useCreateWebhook();
  const update = useUpdateWebhook();
  const attempt = useIdempotencyKey();
  const environments = useQuery(environmentChoicesQuery);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm<Fields>({ initialValues: webhook ? fieldsOf(webhook) : NEW, validate: missing });
  const { where, events, url } = form.values;
  const onError = (error: unknown) => {
    attempt.refused(error);
    setProblem(showErrorOnForm(form, error, (path) => FIELDS.includes(path)));
  };
  const submit = form.onSubmit(({ where: all, ...values }) => {
    setProblem(null);
    const body = { ...values, environmentIds: all === 'all' ? null : values.environmentIds };
    if (webhook) update.mutate({ webhook, body }, { onSuccess: onSaved, onError });
    else create.mutate({ body, key: attempt.keyFor(body) }, { onSuccess: onSaved, onError });
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label="Name"
          placeholder="Deploy board"
          withAsterisk
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label="URL"
          description="Receives messages as POST requests. Use https, or http for private addresses that the installation allows. Redirects are not followed."
          placeholder="https://hooks.example.com/runward"
          withAsterisk
          {...form.getInputProps('url')}
        />
        {webhook && url !== webhook.url && (
          <Alert color="blue" icon={<IconInfoCircle aria-hidden />}>
            A new URL gets a new secret. Deliveries that wait for the old URL become dead; you can replay them.
          </Alert>
        )}
        <EventChoice
          value={events}
          onChange={(value) => form.setFieldValue('events', value)}
          error={form.errors.events}
        />
        <Stack gap={6}>
          <Text fw={500} id="webhook-where">
            In
          </Text>
          <SegmentedControl
            aria-labelledby="webhook-where"
            data={[
              { value: 'all', label: 'All environments that the owner can view' },
              { value: 'some', label: 'Selected environments' },
            ]}
            {...form.getInputProps('where')}
          />
        </Stack>
        {where === 'some' && (
          <MultiSelect
            label="Environments"
            withAsterisk
            searchable
            data={(environments.data?.items ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            {...form.getInputProps('environmentIds')}
          />
        )}
        <Switch
          label="Enabled"
          description="Events are not stored while the webhook is disabled."
          {...form.getInputProps('enabled', { type: 'checkbox' })}
        />
        <FormErrors problem={problem} />
        <DialogActions onClose={onClose} pending={create.isPending || update.isPending}>
          {webhook ? 'Save' : 'Create webhook'}
        </DialogActions>
      </Stack>
    </form>
  );
}
