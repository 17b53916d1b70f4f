import { Paper } from '@mantine/core';
import { useForm } from '@mantine/form';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { IconHistory, IconLock } from '@tabler/icons-react';
import { useState } from 'react';
import { useAccess } from '../../../access/useAccess';
import type { ServerImport } from '../../../api/types';
import { EmptyState } from '../../../ui/feedback/EmptyState';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';
import { AnchorLink, ButtonLink } from '../../../ui/page/links';
import { PageHeader } from '../../../ui/page/PageHeader';
import { ImportForm } from './form/ImportForm';
import { emptyForm, formFromImport, formFaults, type ImportForm as Form, toRequest } from './form/import-form';
import { ImportView } from './ImportView';

const route = getRouteApi('/app/servers/import');

/** Shows the import form, or the preview or result of the import in the URL. The form keeps its state. */
export function ImportPage() {
  const { import: id, environment } = route.useSearch();
  const navigate = useNavigate({ from: '/servers/import' });
  const { missing } = useAccess();
  const form = useForm<Form>({ initialValues: emptyForm(environment), validate: formFaults });
  const [markedLine, setMarkedLine] = useState<number | null>(null);
  useLeaveGuard(id === undefined && form.values.content !== '');
  const hasText = form.values.content !== '';
  const show = (preview: ServerImport) => void navigate({ search: { import: preview.id } });
  const back = (from: ServerImport, line: number | null = null) => {
    if (!hasText) form.setValues(formFromImport(from));
    setMarkedLine(line);
    void navigate({ search: {} });
  };
  if (id !== undefined)
    return (
      <ImportView
        key={id}
        id={id}
        hasText={hasText}
        onBack={back}
        onNewImport={() => form.reset()}
        order={hasText ? () => toRequest(form.getValues()) : null}
        onPreview={show}
      />
    );
  const notOperator = missing('operator');
  return (
    <>
      <PageHeader
        title="Import servers"
        above={
          <AnchorLink to="/servers" size="xs">
            Servers
          </AnchorLink>
        }
        description="Import servers from an Ansible inventory, an SSH config or a list. Review the preview before you import."
        actions={
          <ButtonLink to="/servers/imports" variant="default" leftSection={<IconHistory size={15} aria-hidden />}>
            Past imports
          </ButtonLink>
        }
      />
      {notOperator ? (
        <Paper>
          <EmptyState icon={IconLock} title={notOperator}>
            This role is required to import servers. Past imports are visible to you.
          </EmptyState>
        </Paper>
      ) : (
        <ImportForm form={form} markedLine={markedLine} onPreview={show} />
      )}
    </>
  );
}
