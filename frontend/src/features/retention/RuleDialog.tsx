import { Button, Checkbox, Group, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useDebouncedValue } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { type ApiProblem, toProblem } from '../../api/errors';
import { useDropRetentionRule, usePutRetentionRule } from '../../api/queries/runs/retention';
import type { RetentionRule } from '../../api/types';
import { DialogActions } from '../../ui/dialogs/DialogActions';
import { FormErrors } from '../../ui/forms/FormErrors';
import { FormModal } from '../../ui/forms/FormOverlay';
import { showErrorOnFields } from '../../ui/forms/form-errors';
import { RulePreview } from './RulePreview';
import { formOf, limitsOf, type RuleForm } from './rule-form';

/** Pause in typing before the preview is requested, in ms. */
const DEBOUNCE_MS = 400;

const FORM_FIELD_BY_PROPERTY: Record<string, keyof RuleForm> = {
  keepDays: 'keepDays',
  keepRuns: 'keepRuns',
  keepBytes: 'gibibytes',
};

interface Props {
  /** Null: the rule of the tenant. */
  environment: { id: string; name: string } | null;
  rule: RetentionRule | null;
  onClose: () => void;
}

export function RuleDialog({ environment, rule, onClose }: Props) {
  const of = { environmentId: environment?.id ?? null };
  const put = usePutRetentionRule(of);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [confirm, setConfirm] = useState(false);
  const form = useForm({
    initialValues: formOf(rule),
    // The confirmation was for the previous values.
    onValuesChange: () => {
      setProblem(null);
      setConfirm(false);
    },
  });
  const [debouncedValues] = useDebouncedValue(form.values, DEBOUNCE_MS);
  const asks = problem?.code === 'confirmation_required';
  const submit = form.onSubmit((values) => {
    setProblem(null);
    put.mutate(
      { ...limitsOf(values), confirm },
      {
        onSuccess: () => {
          notifications.show({ message: 'Rule saved.' });
          onClose();
        },
        onError: (error) => setProblem(showErrorOnFields(form, error, (path) => FORM_FIELD_BY_PROPERTY[path] ?? null)),
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
              ? 'Replaces the rule for all environments.'
              : 'Applies to environments without their own rule.'}{' '}
            The daily pass deletes finished runs that exceed any limit. Leave a field empty for no limit.
          </Text>
          <LimitFields form={form} />
          <RulePreview of={of} rule={limitsOf(debouncedValues)} />
          <Text size="xs" c="dimmed">
            Always kept: unfinished and pinned runs, runs with unknown results, the last successful and the last failed
            run of each plan, and runs that a kept run repeats.
          </Text>
          {asks ? (
            <Checkbox
              color="red"
              label="Allow deleting more than half of the runs or output"
              checked={confirm}
              onChange={(event) => setConfirm(event.currentTarget.checked)}
            />
          ) : (
            <FormErrors problem={problem} />
          )}
          <Group justify="space-between">
            {environment && rule ? <DropRuleDialog environmentId={environment.id} onClose={onClose} /> : <span />}
            <DialogActions onClose={onClose} pending={put.isPending}>
              Save rule
            </DialogActions>
          </Group>
        </Stack>
      </form>
    </FormModal>
  );
}

function LimitFields({ form }: { form: UseFormReturnType<RuleForm> }) {
  return (
    <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="md">
      <NumberInput
        label="Days"
        description="Counted from the start of a run."
        min={1}
        max={36500}
        allowDecimal={false}
        placeholder="No limit"
        {...form.getInputProps('keepDays')}
      />
      <NumberInput
        label="Runs"
        description="Keeps the newest runs."
        min={1}
        allowDecimal={false}
        thousandSeparator=" "
        placeholder="No limit"
        {...form.getInputProps('keepRuns')}
      />
      <NumberInput
        label="Output, in GiB"
        description="Keeps output of the newest runs."
        min={0.001}
        decimalScale={3}
        placeholder="No limit"
        {...form.getInputProps('gibibytes')}
      />
    </SimpleGrid>
  );
}

function DropRuleDialog({ environmentId, onClose }: { environmentId: string; onClose: () => void }) {
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
        {asks ? 'Use tenant rule anyway' : 'Use tenant rule'}
      </Button>
      {drop.error && (
        <Text size="xs" c="red" role="alert">
          {toProblem(drop.error).message}
        </Text>
      )}
    </Stack>
  );
}
