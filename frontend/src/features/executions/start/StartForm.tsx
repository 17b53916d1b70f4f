import { Button, Fieldset, Group, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconLock, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { type ApiProblem, toProblem } from '../../../api/errors';
import { refreshFreezes } from '../../../api/queries/plans/collections';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { useStartExecution } from '../../../api/queries/runs/executions';
import { planVariablesQuery } from '../../../api/queries/plans/plans';
import type { Execution, Plan } from '../../../api/types';
import { freezeObstacle } from '../../../ui/collections/freeze';
import { FreezeOverride } from '../../../ui/collections/FreezeOverride';
import { useFreeze } from '../../../ui/collections/useFreeze';
import { CopyAs } from '../../../ui/copy/CopyAs';
import { startRecipes } from '../../../ui/copy/start-recipes';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { closedWindow, windowObstacle, windowOverrideField } from '../../../ui/environments/run-window';
import { WindowOverride } from '../../../ui/environments/WindowOverride';
import { useNow } from '../../../ui/format/useNow';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { StartVariableField } from '../../../ui/variables/StartVariableField';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { labelsFault } from '../../../ui/runs/labels';
import { LabelsInput } from '../../../ui/runs/LabelsInput';
import { ConfirmEnvironment } from './ConfirmEnvironment';
import { EnvironmentExports } from './EnvironmentExports';
import { ModeField } from './ModeField';
import { effectiveMode } from './start-modes';
import { StartRefusal } from './StartRefusal';
import { initialForm, toStartRequest } from './start-request';
import { TargetsBox } from './TargetsBox';
import { WhenField } from './WhenField';

interface Props {
  plan: Plan;
  again: Execution | null;
  /** Whether to start only if nothing has changed since the dry run `again`. */
  exact: boolean;
  onClose: () => void;
}

export function StartForm({ plan, again, exact, onClose }: Props) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const start = useStartExecution();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: initialForm(plan, again) });
  const { environmentId, targets, variables } = form.values;
  const [selector] = useDebouncedValue(targets.trim(), 300);
  const resolved = useQuery(planVariablesQuery(plan.id, environmentId)).data?.items ?? [];
  const environments = useQuery(environmentChoicesQuery).data?.items ?? [];
  const environment = environments.find(({ id }) => id === environmentId);
  const secrets = plan.variables.filter(({ type }) => type === 'secret').map(({ name }) => name);
  const fields = [
    'environmentId',
    'targets',
    'note',
    'labels',
    'startAt',
    ...plan.variables.map(({ name }) => `variables.${name}`),
  ];
  const limits = { plan, environment, exact };
  const mode = effectiveMode(form.values.mode, limits);
  const [typedName, setTypedName] = useState('');
  const isNameMissing =
    environment?.protected && mode !== 'dry_run' && typedName.trim() !== environment.name
      ? `Type ${environment.name} to confirm first`
      : null;
  const freeze = useFreeze(plan.frozenBy);
  const labelFault = labelsFault(form.values.labels);
  const later = mode !== 'dry_run' && form.values.startAt !== null;
  const missingTimeText = later && form.values.startAt === '' ? 'Choose the time first' : null;
  const now = useNow();
  // For a later start, the server checks the run windows at the start time.
  const closed = later ? null : closedWindow(environment, now);
  const [windowReason, setWindowReason] = useState<string | null>(null);
  const obstacle =
    freezeObstacle(freeze, mode, form.values.override) ??
    windowObstacle(closed, mode, windowReason) ??
    isNameMissing ??
    labelFault ??
    missingTimeText;
  const request = {
    ...toStartRequest(plan, { ...form.values, mode }, exact ? again?.digest : undefined, freeze),
    ...windowOverrideField(closed, mode, windowReason),
  };
  const recipes = startRecipes({
    origin: window.location.origin,
    plan: plan.name,
    environment: request.environmentId === undefined ? null : (environment?.name ?? request.environmentId),
    request,
    secrets,
  });

  const send = (body: typeof request) => {
    if (obstacle) return;
    setProblem(null);
    start.mutate(
      { body, key: attempt.keyFor(body) },
      {
        onSuccess: ({ id }) => void navigate({ to: '/executions/$id', params: { id } }),
        onError: (error) => {
          attempt.refused(error);
          if (toProblem(error).code === 'collection_frozen') void refreshFreezes(client);
          setProblem(showErrorOnForm(form, error, (path) => fields.includes(path)));
        },
      },
    );
  };
  const submit = form.onSubmit(() => send(request));
  const queueInstead = () => {
    form.setFieldValue('queue', true);
    send({ ...request, onOverlap: 'queue' });
  };

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {exact && (
          <Text>Starts exactly the content of the dry run. If it has changed since, the start is refused.</Text>
        )}
        <EnvironmentSelect
          label="Environment"
          withAsterisk
          data-autofocus
          disabled={exact}
          leftSection={environment?.protected ? <IconLock size={14} aria-label="Protected" /> : undefined}
          {...form.getInputProps('environmentId')}
        />
        <ModeField value={mode} limits={limits} onChange={(next) => form.setFieldValue('mode', next)} />
        {plan.variables.length > 0 && (
          <Fieldset legend="Variables">
            <SimpleGrid cols={{ base: 1, sm: 2 }} verticalSpacing="sm">
              {plan.variables.map((variable) => (
                <StartVariableField
                  key={variable.name}
                  variable={variable}
                  value={variables[variable.name] ?? ''}
                  resolved={resolved.find(({ name }) => name === variable.name)}
                  error={form.errors[`variables.${variable.name}`] as string | undefined}
                  // Secrets of the dry run are not available, so the user must enter them again.
                  readOnly={exact && variable.type !== 'secret'}
                  onChange={(value) => form.setFieldValue(`variables.${variable.name}`, value)}
                />
              ))}
            </SimpleGrid>
          </Fieldset>
        )}
        <EnvironmentExports variables={resolved} />
        <TextInput
          label="Limit hosts"
          description="Selector within the hosts of the plan, such as role=web,region in (eu, us) or name=web-*"
          placeholder="All hosts of the plan"
          readOnly={exact}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...form.getInputProps('targets')}
        />
        <TargetsBox planId={plan.id} environmentId={environmentId} targets={selector} />
        <Textarea
          label="Note"
          description="Reason for the run, shown in lists."
          autosize
          minRows={1}
          maxRows={4}
          {...form.getInputProps('note')}
        />
        <LabelsInput
          label="Labels"
          description="key=value, for finding the run. Press Enter after each label."
          {...form.getInputProps('labels')}
          error={labelFault ?? form.errors.labels}
        />
        {mode !== 'dry_run' && (
          <WhenField
            queue={form.values.queue}
            startAt={form.values.startAt}
            error={form.errors.startAt}
            onQueue={(queue) => form.setFieldValue('queue', queue)}
            onStartAt={(startAt) => form.setFieldValue('startAt', startAt)}
          />
        )}
        {environment?.protected && (
          <ConfirmEnvironment
            environment={environment}
            dryRun={mode === 'dry_run'}
            typed={typedName}
            onType={setTypedName}
          />
        )}
        {freeze && mode !== 'dry_run' && (
          <FreezeOverride
            freeze={freeze}
            override={form.values.override}
            onChange={(override) => form.setFieldValue('override', override)}
          />
        )}
        {closed && mode !== 'dry_run' && (
          <WindowOverride closed={closed} override={windowReason} onChange={setWindowReason} />
        )}
        <StartRefusal
          problem={problem}
          fieldErrors={Object.keys(form.errors).length}
          pending={start.isPending}
          onQueue={queueInstead}
          onAccept={(acceptAuthors) => send({ ...request, acceptAuthors })}
        />
        <Group justify="space-between" gap="xs">
          <CopyAs recipes={recipes} />
          <Group gap="xs">
            <Button variant="default" onClick={onClose} disabled={start.isPending}>
              Close
            </Button>
            <Can role="operator" unless={obstacle}>
              <Button type="submit" loading={start.isPending} leftSection={<IconPlayerPlay size={15} aria-hidden />}>
                {mode === 'dry_run' ? 'Start dry run' : later ? 'Start later' : 'Start run'}
              </Button>
            </Can>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
