import { Button, Fieldset, Group, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconLock, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { Can } from '../../../access/Can';
import { type ApiProblem, toProblem } from '../../../api/errors';
import { refreshFreezes } from '../../../api/queries/collections';
import { environmentChoicesQuery } from '../../../api/queries/environments';
import { useStartExecution } from '../../../api/queries/executions';
import { planVariablesQuery } from '../../../api/queries/plans';
import type { Execution, Plan } from '../../../api/types';
import { freezeObstacle } from '../../../ui/collections/freeze';
import { FreezeOverride } from '../../../ui/collections/FreezeOverride';
import { useFreeze } from '../../../ui/collections/useFreeze';
import { CopyButton } from '../../../ui/copy/CopyButton';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { showOnForm } from '../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { ConfirmEnvironment } from './ConfirmEnvironment';
import { EnvironmentExports } from './EnvironmentExports';
import { ModeField } from './ModeField';
import { effectiveMode } from './start-modes';
import { StartRefusal } from './StartRefusal';
import { initialForm, toCurl, toStartRequest } from './start-request';
import { TargetsBox } from './TargetsBox';
import { VariableField } from './VariableField';

interface Props {
  plan: Plan;
  again: Execution | null;
  /** Start exactly what the dry run `again` has shown. */
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
  const fields = ['environmentId', 'targets', 'note', ...plan.variables.map(({ name }) => `variables.${name}`)];
  const limits = { plan, environment, exact };
  const mode = effectiveMode(form.values.mode, limits);
  const [typedName, setTypedName] = useState('');
  const nameMissing =
    environment?.protected && mode !== 'dry_run' && typedName.trim() !== environment.name
      ? `Type ${environment.name} to confirm first`
      : null;
  const freeze = useFreeze(plan.frozenBy);
  const obstacle = freezeObstacle(freeze, mode, form.values.override) ?? nameMissing;
  const request = toStartRequest(plan, { ...form.values, mode }, exact ? again?.digest : undefined, freeze);

  const submit = form.onSubmit(() => {
    if (obstacle) return;
    setProblem(null);
    start.mutate(
      { body: request, key: attempt.keyFor(request) },
      {
        onSuccess: ({ id }) => void navigate({ to: '/executions/$id', params: { id } }),
        onError: (error) => {
          attempt.refused(error);
          if (toProblem(error).code === 'collection_frozen') void refreshFreezes(client);
          setProblem(showOnForm(form, error, (path) => fields.includes(path)));
        },
      },
    );
  });

  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {exact && (
          <Text>
            Starts what the dry run has shown, and nothing else: if anything of it has changed since, the start is
            refused.
          </Text>
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
                <VariableField
                  key={variable.name}
                  variable={variable}
                  value={variables[variable.name] ?? ''}
                  resolved={resolved.find(({ name }) => name === variable.name)}
                  error={form.errors[`variables.${variable.name}`] as string | undefined}
                  // Secrets are never shown again, so they have to be entered anew.
                  readOnly={exact && variable.type !== 'secret'}
                  onChange={(value) => form.setFieldValue(`variables.${variable.name}`, value)}
                />
              ))}
            </SimpleGrid>
          </Fieldset>
        )}
        <EnvironmentExports variables={resolved} />
        <TextInput
          label="Only these hosts"
          description="Narrows the plan’s own hosts, such as role=web,region in (eu, us) or name=web-*"
          placeholder="All of the plan’s hosts"
          readOnly={exact}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          {...form.getInputProps('targets')}
        />
        <TargetsBox planId={plan.id} environmentId={environmentId} targets={selector} />
        <Textarea
          label="Note"
          description="Why this run; shown in lists."
          autosize
          minRows={1}
          maxRows={4}
          {...form.getInputProps('note')}
        />
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
        <StartRefusal problem={problem} fieldErrors={Object.keys(form.errors).length} />
        <Group justify="space-between" gap="xs">
          <CopyButton value={toCurl(window.location.origin, request, secrets)} what="command">
            Copy as curl
          </CopyButton>
          <Group gap="xs">
            <Button variant="default" onClick={onClose} disabled={start.isPending}>
              Close
            </Button>
            <Can role="operator" unless={obstacle}>
              <Button type="submit" loading={start.isPending} leftSection={<IconPlayerPlay size={15} aria-hidden />}>
                {mode === 'dry_run' ? 'Start dry run' : 'Start run'}
              </Button>
            </Can>
          </Group>
        </Group>
      </Stack>
    </form>
  );
}
