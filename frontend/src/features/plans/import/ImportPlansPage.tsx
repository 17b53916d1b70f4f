import { Box, Button, FileButton, Group, Paper, Select, Stack, Text, Textarea } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconFileUpload, IconLock } from '@tabler/icons-react';
import { getRouteApi } from '@tanstack/react-router';
import { type DragEvent, useState } from 'react';
import { useAccess } from '../../../access/useAccess';
import { type ApiProblem, toProblem } from '../../../api/errors';
import { useImportPlans } from '../../../api/queries/plans/plan-texts';
import type { ImportPlansRequest, PlanImport } from '../../../api/types';
import { CollectionSelect } from '../../../ui/collections/CollectionSelect';
import { EnvironmentSelect } from '../../../ui/environments/EnvironmentSelect';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { plural } from '../../../ui/format/format';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';
import { AnchorLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { FaultsOfText } from '../text/PlanText';
import { ImportOutcome } from './ImportOutcome';
import { faultsOf, guessFormat, MAX_TEXT_BYTES, type TextFormat } from './import-text';

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
  const importing = useImportPlans();
  const attempt = useIdempotencyKey();
  const [content, setContent] = useState('');
  const [chosenFormat, setChosenFormat] = useState<TextFormat | null>(null);
  const [environmentId, setEnvironmentId] = useState<string | null>(null);
  const { collection } = route.useSearch();
  const [collectionId, setCollectionId] = useState<string | null>(collection ?? null);
  const [outcome, setOutcome] = useState<PlanImport | null>(null);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const format = chosenFormat ?? guessFormat(content) ?? 'plan';
  useLeaveGuard(content !== '' && (outcome?.preview ?? true));

  const body: ImportPlansRequest = {
    ...{ content, format },
    ...(environmentId === null ? {} : { environmentId }),
    ...(collectionId === null ? {} : { collectionId }),
  };
  const change = (text: string) => {
    setContent(text);
    setOutcome(null);
    setProblem(null);
  };
  const run = (preview: boolean) => {
    setProblem(null);
    importing.mutate(preview ? { body: { ...body, preview } } : { body, key: attempt.keyFor(body) }, {
      onSuccess: setOutcome,
      onError: (error) => {
        attempt.refused(error);
        setOutcome(null);
        setProblem(toProblem(error));
      },
    });
  };
  const faults = problem ? faultsOf(problem) : [];
  const ready = outcome?.preview ? outcome.plans.filter(({ action }) => action !== 'leave').length : 0;

  return (
    <Stack gap="md">
      <Group gap="md" align="flex-end">
        <Select
          label="Format"
          w={280}
          data={[
            { value: 'plan', label: 'Plan in YAML or JSON' },
            { value: 'rundeck', label: 'Jobs of Rundeck in YAML or JSON' },
          ]}
          value={format}
          allowDeselect={false}
          onChange={(value) => {
            setChosenFormat(value);
            setOutcome(null);
          }}
        />
        <EnvironmentSelect
          label="Environment"
          description="Used for plans that name none"
          placeholder="None"
          clearable
          value={environmentId}
          onChange={(value: string | null) => {
            setEnvironmentId(value);
            setOutcome(null);
          }}
        />
        <CollectionSelect
          label="Collection"
          description="Used for plans that name none"
          value={collectionId}
          onChange={(value: string | null) => {
            setCollectionId(value);
            setOutcome(null);
          }}
        />
      </Group>
      <TextOfPlans value={content} onChange={change} />
      <Group gap="xs">
        <Button
          variant={ready > 0 ? 'default' : 'filled'}
          disabled={content.trim() === ''}
          loading={importing.isPending && ready === 0}
          onClick={() => run(true)}
        >
          Preview
        </Button>
        {ready > 0 && (
          <Button loading={importing.isPending} onClick={() => run(false)}>
            Import {plural(ready, 'plan')}
          </Button>
        )}
      </Group>
      {problem && (faults.length > 0 ? <FaultsOfText faults={faults} /> : <ErrorPanel error={problem} />)}
      {outcome && <ImportOutcome outcome={outcome} />}
    </Stack>
  );
}

/** Input for the text: typed, pasted, dropped or from a file. */
function TextOfPlans({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const read = async (file: File | null | undefined) => {
    if (!file) return;
    if (file.size <= MAX_TEXT_BYTES) return onChange(await file.text());
    notifications.show({ color: 'red', message: `${file.name} is larger than 3 MiB. Split it.` });
  };
  const drop = (event: DragEvent) => {
    const file = event.dataTransfer.files[0];
    if (!file) return;
    event.preventDefault();
    void read(file);
  };
  return (
    <Box onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()} onDrop={drop}>
      <Group justify="space-between" mb={6} gap="xs">
        <Text size="xs" c="dimmed">
          Paste text, drop a file, or choose a file.
        </Text>
        <FileButton onChange={(file) => void read(file)}>
          {(props) => (
            <Button variant="default" leftSection={<IconFileUpload size={15} aria-hidden />} {...props}>
              Choose file
            </Button>
          )}
        </FileButton>
      </Group>
      <Textarea
        label="Text"
        withAsterisk
        rows={14}
        spellCheck={false}
        autoCapitalize="off"
        wrap="off"
        classNames={{ input: 'rw-mono' }}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </Box>
  );
}
