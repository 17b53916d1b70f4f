import { Button, Grid, Group, Paper, Stack } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { IconEye } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Can } from '../../../../access/Can';
import { missingGrant } from '../../../../access/environment-access';
import { type ApiProblem, toProblem } from '../../../../api/errors';
import { environmentChoicesQuery } from '../../../../api/queries/inventory/environments';
import { usePreviewImport } from '../../../../api/queries/inventory/imports';
import { meQuery } from '../../../../api/queries/access/session';
import type { ServerImport } from '../../../../api/types';
import { FormErrors } from '../../../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../../../ui/forms/form-errors';
import { useIdempotencyKey } from '../../../../ui/forms/useIdempotencyKey';
import { FaultList } from '../faults/FaultList';
import { type TextFault, textFault } from '../faults/text-faults';
import { type ImportForm as Form, isImportField, toRequest } from './import-form';
import { ImportSettings } from './ImportSettings';
import { showLine } from './show-line';
import { TextField } from './TextField';

interface Props {
  form: UseFormReturnType<Form>;
  /** Line at which the cursor starts; null: none. */
  markedLine: number | null;
  onPreview: (preview: ServerImport) => void;
}

export function ImportForm({ form, markedLine, onPreview }: Props) {
  const preview = usePreviewImport();
  const attempt = useIdempotencyKey();
  const { data: me } = useQuery(meQuery);
  const environments = useQuery(environmentChoicesQuery);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [textFaults, setTextFaults] = useState<{ title: string; faults: TextFault[] } | null>(null);
  const text = useRef<HTMLTextAreaElement>(null);
  const chosen = environments.data?.items.find(({ id }) => id === form.values.environmentId);
  const scrollToLine = (line: number) => text.current && showLine(text.current, line);
  useEffect(() => {
    if (markedLine !== null && text.current) showLine(text.current, markedLine);
  }, [markedLine]);

  const refused = (error: unknown) => {
    attempt.refused(error);
    const found = toProblem(error);
    const faults = found.errors.filter(({ path }) => path === '/content').map(textFault);
    setTextFaults(faults.length > 0 ? { title: found.message, faults } : null);
    if (faults.length === 0) setProblem(showErrorOnForm(form, error, isImportField));
  };
  const submit = form.onSubmit((values) => {
    const body = toRequest(values);
    setProblem(null);
    setTextFaults(null);
    preview.mutate({ body, key: attempt.keyFor(body) }, { onSuccess: onPreview, onError: refused });
  });
  return (
    <form onSubmit={submit} noValidate>
      <Grid gap="md">
        <Grid.Col span={{ base: 12, md: 7.5 }}>
          <Stack gap="md">
            <Paper p="md">
              <TextField form={form} field={text} />
            </Paper>
            {textFaults && <FaultList {...textFaults} onSelectLine={scrollToLine} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4.5 }}>
          <Paper p="md">
            <ImportSettings form={form} />
            <Group justify="flex-end" my="md">
              <Can role="operator" unless={chosen ? missingGrant(me?.role, chosen) : null}>
                <Button type="submit" loading={preview.isPending} leftSection={<IconEye size={15} aria-hidden />}>
                  Preview
                </Button>
              </Can>
            </Group>
            <FormErrors problem={problem} fieldErrors={Object.keys(form.errors).length} />
          </Paper>
        </Grid.Col>
      </Grid>
    </form>
  );
}
