import { Button, Checkbox, Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { type ApiProblem, toProblem } from '../../api/errors';
import { useDropRetentionRule, usePutRetentionRule } from '../../api/queries/runs/retention';
import type { RetentionRule } from '../../api/types';
import { DialogActions } from '../../ui/forms/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { FormModal } from '../../ui/forms/FormOverlay';
import { showOnForm } from '../../ui/forms/form-errors';
import { RulePreview } from './RulePreview';
import { formOf, limitsOf } from './rule-form';

/** How long typing rests before runs are looked at, in ms. */
const REST_MS = 400;

interface Props {
  /** Null: the rule of the tenant. */
  environment: { id: string; name: string } | null;
  rule: RetentionRule | null;
  onClose: () => void;
}

/** Sets for how long runs are kept, and shows what that would delete before it is saved. */
export function RuleDialog({ environment, rule, onClose }: Props) {
  const of = { environmentId: environment?.id ?? null };
  const put = usePutRetentionRule(of);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [confirm, setConfirm] = useState(false);
  const form = useForm({
    initialValues: formOf(rule),
    // What was confirmed was another rule.
    onValuesChange: () => {
      setProblem(null);
      setConfirm(false);
    },
  });
  const [rested] = useDebouncedValue(form.values, REST_MS);
  const asks = problem?.code === 'confirmation_required';
  const submit = form.onSubmit((values) => {
    setProblem(null);
    put.mutate(
      { ...limitsOf(values), confirm },
      {
        onSuccess: () => {
          notifications.show({ message: 'The rule is saved.' });
          onClose();
        },
        onError: (error) =>
          setProblem(
            showOnForm(
              {
                setErrors: ({ keepBytes, ...errors }) =>
                  form.setErrors({ ...errors, ...(keepBytes ? { gibibytes: keepBytes } : {}) }),
              },
              error,
              (path) => ['keepDays', 'keepRuns', 'keepBytes'].includes(path),
            ),
          ),
      },
    );
  });
  return (
    <FormModal
      opened
      onClose={onClose}
      title={environment ? `Runs in ${environment.name}` : 'Runs in all environments'}
      size="lg"
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Text c="dimmed">
            {environment
              ? 'In place of the rule for all environments.'
              : 'For each environment that has no rule of its own.'}{' '}
            What any limit says is too old is deleted by the next pass, once a day. An empty field is no limit.
          </Text>
          <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
            <NumberInput
              label="Days"
              description="Since the start."
              min={1}
              max={36500}
              allowDecimal={false}
              placeholder="Any"
              {...form.getInputProps('keepDays')}
            />
            <NumberInput
              label="Runs"
              description="The newest ones."
              min={1}
              allowDecimal={false}
              thousandSeparator=" "
              placeholder="Any"
              {...form.getInputProps('keepRuns')}
            />
            <NumberInput
              label="Output, in GiB"
              description="Of the newest runs."
              min={0.001}
              decimalScale={3}
              placeholder="Any"
              {...form.getInputProps('gibibytes')}
            />
          </SimpleGrid>
          <RulePreview of={of} rule={limitsOf(rested)} />
          <Text size="xs" c="dimmed">
            Always kept: runs that have not ended, are pinned, or hold hosts with unknown results; the last run of each
            plan that succeeded and the last that failed; and what a kept run repeats.
          </Text>
          {asks ? (
            <Checkbox
              color="red"
              label="Delete more than half of the runs or their output"
              checked={confirm}
              onChange={(event) => setConfirm(event.currentTarget.checked)}
            />
          ) : (
            <FormErrors problem={problem} />
          )}
          <Group justify="space-between">
            {environment && rule ? <DropRule environmentId={environment.id} onClose={onClose} /> : <span />}
            <DialogActions onClose={onClose} pending={put.isPending}>
              Save rule
            </DialogActions>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}

function DropRule({ environmentId, onClose }: { environmentId: string; onClose: () => void }) {
  const drop = useDropRetentionRule(environmentId);
  const asks = drop.error !== null && toProblem(drop.error).code === 'confirmation_required';
  return (
    <Stack gap={4} align="flex-start">
      <Button
        variant="default"
        color={asks ? 'red' : undefined}
        loading={drop.isPending}
        onClick={() => drop.mutate(asks, { onSuccess: onClose })}
      >
        {asks ? 'Use it all the same' : 'Use the common rule'}
      </Button>
      {drop.error && (
        <Text size="xs" c="red" role="alert">
          {toProblem(drop.error).message}
        </Text>
      )}
    </Stack>
  );
}
