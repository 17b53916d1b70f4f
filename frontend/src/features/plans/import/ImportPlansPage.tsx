import { Button, Group, Paper, Select, Stack } from '@mantine/core';
import { IconLock } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { PLAN_FORMATS } from '../../../api/lists';
import { useAccess } from '../../../access/useAccess';
import { CollectionSelect } from '../../../ui/collections/CollectionSelect';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';
import { AnchorLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { FaultsOfText } from '../text/PlanText';
import { ImportOutcome } from './ImportOutcome';
import { faultsOf } from './import-text';
import { PlansTextInput } from './PlansTextInput';
import { usePlanImport } from './usePlanImport';

const route = getRouteApi('/app/plans/import');

export function ImportPlansPage() {
  const { missing } = useAccess();
  const notOperator = missing('operator');
  return (
    <>
      <PageHeader
        title="Import plans"
        above={
          <AnchorLink to="/plans" size="xs">
            Plans
          </AnchorLink>
        }
        description="Import plans from YAML or from Rundeck job definitions. Review the preview before you import."
      />
      {notOperator ? (
        <Paper>
          <EmptyState icon={IconLock} title={notOperator}>
            This role is required to import plans.
          </EmptyState>
        </Paper>
      ) : (
        <ImportForm />
      )}
    </>
  );
}

function ImportForm() {
  const { collection } = route.useSearch();
  const { values, change, run, pending, outcome, problem } = usePlanImport(collection ?? null);
  const faults = problem ? faultsOf(problem) : [];
  const ready = outcome?.preview ? outcome.plans.filter(({ action }) => action !== 'leave').length : 0;

  return (
    <Stack gap="md">
      <Group gap="md" align="flex-end">
        <Select
          label="Format"
          w={280}
          data={PLAN_FORMATS.map(({ name, label }) => ({ value: name, label }))}
          value={values.format}
          allowDeselect={false}
          onChange={(format) => change({ format })}
        />
        <EnvironmentSelect
          label="Environment"
          description="Used for plans that name none"
          placeholder="None"
          clearable
          value={values.environmentId}
          onChange={(environmentId: string | null) => change({ environmentId })}
        />
        <CollectionSelect
          label="Collection"
          description="Used for plans that name none"
          value={values.collectionId}
          onChange={(collectionId: string | null) => change({ collectionId })}
        />
      </Group>
      <PlansTextInput value={values.content} onChange={(content) => change({ content })} />
      <Group gap="xs">
        <Button
          variant={ready > 0 ? 'default' : 'filled'}
          disabled={values.content.trim() === ''}
          loading={pending && ready === 0}
          onClick={() => run(true)}
        >
          Preview
        </Button>
        {ready > 0 && (
          <Button loading={pending} onClick={() => run(false)}>
            Import {plural(ready, 'plan')}
          </Button>
        )}
      </Group>
      {problem && (faults.length > 0 ? <FaultsOfText faults={faults} /> : <ErrorPanel error={problem} />)}
      {outcome && <ImportOutcome outcome={outcome} />}
    </Stack>
  );
}
