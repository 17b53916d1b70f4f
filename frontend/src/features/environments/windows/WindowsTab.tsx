import { Alert, Fieldset, Group, Paper, Select, Stack, Switch, Text, Title, Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { IconClock } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Can } from '../../../access/Can';
import { useAccess } from '../../../access/useAccess';
import type { ApiProblem } from '../../../api/errors';
import { useUpdateEnvironment } from '../../../api/queries/inventory/environments';
import type { Environment } from '../../../api/types';
import { windowText } from '../../../ui/environments/run-window';
import { ownTimeZone, timeZones } from '../../../ui/format/time-zones';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { showErrorOnFields } from '../../../ui/forms/form-errors';
import { BlackoutFields, SpanFields } from './SpanFields';
import { WeekView } from './WeekView';
import { formOf, toRunWindows } from './windows-form';

/** Returns the form field for an error at `path` of the request; null = none. */
const fieldOf = (path: string): string | null =>
  /^runWindows\.(timeZone|(?:open|blackouts)\.\d+\.\w+)$/.exec(path)?.[1] ?? null;

export function WindowsTab({ environment }: { environment: Environment }) {
  const notAdmin = useAccess().missing('admin');
  const update = useUpdateEnvironment(environment.id);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [baseVersion, setBaseVersion] = useState(environment);
  const form = useForm({ initialValues: formOf(environment.runWindows, ownTimeZone()) });
  const { limited, timeZone, open } = form.values;
  const zones = useMemo(() => [...new Set([timeZone, ...timeZones()])], [timeZone]);
  const submit = form.onSubmit((values) => {
    setProblem(null);
    update.mutate(
      { version: baseVersion.version, body: { runWindows: toRunWindows(values) } },
      {
        onSuccess: (saved) => {
          setBaseVersion(saved);
          notifications.show({ message: 'Run windows saved.' });
        },
        onError: (error) => setProblem(showErrorOnFields(form, error, fieldOf)),
      },
    );
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw={760}>
        {environment.runWindowState && (
          <Alert color={environment.runWindowState.open ? 'green' : 'yellow'} py={8} icon={<IconClock aria-hidden />}>
            {windowText(environment.runWindowState)}
          </Alert>
        )}
        {notAdmin && <Text c="dimmed">{notAdmin} to change these.</Text>}
        <Paper p="md">
          <Fieldset variant="unstyled" disabled={notAdmin !== null}>
            <Stack gap="md">
              <Switch
                label="Limit starts to run windows"
                description="Outside run windows, new starts are refused and accepted runs wait. Dry runs and running runs are not affected."
                {...form.getInputProps('limited', { type: 'checkbox' })}
              />
              {limited && (
                <>
                  <Select
                    label="Time zone"
                    description="Time zone of all times below."
                    searchable
                    allowDeselect={false}
                    limit={100}
                    data={zones}
                    maw={320}
                    {...form.getInputProps('timeZone')}
                  />
                  <Title order={2} size="h5">
                    Hours
                  </Title>
                  <SpanFields form={form} disabled={notAdmin !== null} />
                  <WeekView open={open} />
                  <Title order={2} size="h5">
                    Blackouts
                  </Title>
                  <Text c="dimmed" size="sm">
                    Periods in which no runs start, regardless of the hours.
                  </Text>
                  <BlackoutFields form={form} disabled={notAdmin !== null} />
                </>
              )}
            </Stack>
          </Fieldset>
        </Paper>
        <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
        <Group justify="flex-end">
          <Can role="admin">
            <Button type="submit" loading={update.isPending}>
              Save run windows
            </Button>
          </Can>
        </Group>
      </Stack>
    </form>
  );
}
