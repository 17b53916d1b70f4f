import { Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { planChoicesQuery } from '../../../api/queries/plans/plans';
import type { Plan } from '../../../api/types';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { RUN_MODES } from '../../../api/lists';
import { MODE_MEANINGS, MODE_NAMES } from '../../../ui/runs/modes';
import type { ScheduleForm } from './schedule-form';

interface Props {
  form: UseFormReturnType<ScheduleForm>;
  /** Selected plan; null: none, or not loaded yet. */
  plan: Plan | null;
}

export function PlanFields({ form, plan }: Props) {
  const { environmentId, mode } = form.values;
  return (
    <Stack gap="md">
      <TextInput label="Name" withAsterisk maxLength={100} {...form.getInputProps('name')} />
      <SimpleGrid cols={{ base: 1, sm: 2 }}>
        <PlanSelect form={form} plan={plan} />
        <EnvironmentSelect
          label="Environment"
          description="Stays the same if the environment of the plan changes."
          withAsterisk
          allowDeselect={false}
          {...form.getInputProps('environmentId')}
        />
      </SimpleGrid>
      <Select
        label="Mode"
        description={MODE_MEANINGS[mode]}
        data={RUN_MODES.map((value) => ({ value, label: MODE_NAMES[value] }))}
        allowDeselect={false}
        maw={320}
        {...form.getInputProps('mode')}
      />
      <ProtectionNote environmentId={environmentId} mode={mode} />
    </Stack>
  );
}

function PlanSelect({ form, plan }: Props) {
  const plans = useQuery(planChoicesQuery);
  const known = plans.data?.items ?? [];
  const items = plan && !known.some(({ id }) => id === plan.id) ? [plan, ...known] : known;
  return (
    <Select
      label="Plan"
      description="Runs the latest revision at each occurrence."
      withAsterisk
      searchable
      allowDeselect={false}
      data={items.map(({ id, name }) => ({ value: id, label: name }))}
      {...form.getInputProps('planId')}
      onChange={(id: string | null) => {
        const environmentId = known.find((each) => each.id === id)?.environmentId;
        form.setValues({ planId: id, ...(environmentId ? { environmentId } : {}) });
      }}
    />
  );
}

function ProtectionNote({ environmentId, mode }: { environmentId: string | null; mode: string }) {
  const environment = useQuery(environmentChoicesQuery).data?.items.find(({ id }) => id === environmentId);
  const notes = [
    environment?.protected && mode !== 'dry_run'
      ? `${environment.name} is protected: each run waits for approval before it touches a host.`
      : null,
    environment?.runWindows && mode !== 'dry_run'
      ? `${environment.name} has run windows: occurrences outside them are skipped.`
      : null,
  ].filter((note) => note !== null);
  return notes.length === 0 ? null : <Text c="dimmed">{notes.join(' ')}</Text>;
}
