import { Button, Stack } from '@mantine/core';
import { DialogBar } from '../../../ui/dialogs/DialogBar';
import { FormDrawer } from '../../../ui/forms/FormOverlay';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Can } from '../../../access/Can';
import { useHostObstacles } from '../../../access/useHostObstacles';
import type { ApiProblem } from '../../../api/errors';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { keyChoicesQuery } from '../../../api/queries/inventory/keys';
import { serverQuery, useCreateServer, useUpdateServer } from '../../../api/queries/inventory/servers';
import type { Server } from '../../../api/types';
import { ErrorPanel } from '../../../ui/feedback/ErrorPanel';
import { ConfirmHosts } from '../../../ui/forms/ConfirmHosts';
import { FormErrors } from '../../../ui/forms/FormErrors';
import { showErrorOnForm } from '../../../ui/forms/form-errors';
import { RowsSkeleton } from '../../../ui/feedback/Skeletons';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { ServerFields } from './ServerFields';
import { formOf, isServerField, missingChoices, type ServerForm, toRequest } from './server-form';
import { useFormDraft } from '../../../ui/forms/useFormDraft';

interface Props {
  id: string;
  environmentId: string | undefined;
  onClose: () => void;
  onSaved: (server: Server) => void;
}

export function ServerDrawer({ id, environmentId, onClose, onSaved }: Props) {
  const isNew = id === 'new';
  const server = useQuery({ ...serverQuery(id), enabled: !isNew, refetchOnWindowFocus: false });
  return (
    <FormDrawer opened onClose={onClose} title={isNew ? 'New server' : (server.data?.name ?? 'Server')} size="md">
      {isNew || server.data ? (
        <ServerEditor
          key={id}
          server={server.data ?? null}
          environmentId={environmentId}
          onClose={onClose}
          onSaved={onSaved}
        />
      ) : server.error ? (
        <ErrorPanel error={server.error} onRetry={() => void server.refetch()} />
      ) : (
        <RowsSkeleton />
      )}
    </FormDrawer>
  );
}

/** Selects the only key and the only environment for a new server. They may still be loading when the form opens. */
function useOnlyChoices(form: UseFormReturnType<ServerForm>, isNew: boolean): void {
  const sshKeyId = onlyIdOf(useQuery({ ...keyChoicesQuery, enabled: isNew }).data?.items);
  const environmentId = onlyIdOf(useQuery({ ...environmentChoicesQuery, enabled: isNew }).data?.items);
  useEffect(() => {
    if (!isNew) return;
    const values = form.getValues();
    if (values.sshKeyId === null) form.setFieldValue('sshKeyId', sshKeyId);
    if (values.environmentId === null) form.setFieldValue('environmentId', environmentId);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the form object changes with each input
  }, [isNew, sshKeyId, environmentId]);
}

const onlyIdOf = (items: readonly { id: string }[] = []): string | null =>
  items.length === 1 ? (items[0]?.id ?? null) : null;

/** Fields that identify the host. In a protected environment, only approvers can change them. */
function HostFields({ form, server }: { form: UseFormReturnType<ServerForm>; server: Server | null }) {
  return server ? <KnownServerFields form={form} server={server} /> : <ServerFields form={form} id={null} />;
}

function KnownServerFields({ form, server }: { form: UseFormReturnType<ServerForm>; server: Server }) {
  return <ServerFields form={form} id={server.id} hostObstacle={useHostObstacles(server).change} />;
}

type EditorProps = Omit<Props, 'id'> & { server: Server | null };

function ServerEditor({ server, environmentId, onClose, onSaved }: EditorProps) {
  const [current] = useState(server);
  const create = useCreateServer();
  const update = useUpdateServer();
  const attempt = useIdempotencyKey();
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const form = useForm({ initialValues: formOf(current, environmentId), validate: missingChoices });
  const draft = useFormDraft(form, { name: `server.${current?.id ?? 'new'}`, version: current?.version });
  useOnlyChoices(form, current === null);
  const save = (values: ServerForm, confirmHosts?: true) => {
    const body = { ...toRequest(values), confirmHosts };
    setProblem(null);
    const callbacks = {
      onSuccess: (saved: Server) => {
        draft.end();
        onSaved(saved);
      },
      onError: (error: Error) => {
        attempt.refused(error);
        setProblem(showErrorOnForm(form, error, isServerField));
      },
    };
    if (current) update.mutate({ id: current.id, version: current.version, body }, callbacks);
    else create.mutate({ body, key: attempt.keyFor(body) }, callbacks);
  };
  const submit = form.onSubmit((values) => save(values));
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        {draft.notice}
        <HostFields form={form} server={current} />
        <FormErrors problem={problem} />
        <ConfirmHosts
          problem={problem}
          pending={create.isPending || update.isPending}
          onConfirm={() => save(form.getValues(), true)}
        />
        <DialogBar>
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Can role="operator">
            <Button type="submit" loading={create.isPending || update.isPending}>
              {current ? 'Save' : 'Create server'}
            </Button>
          </Can>
        </DialogBar>
      </Stack>
    </form>
  );
}
