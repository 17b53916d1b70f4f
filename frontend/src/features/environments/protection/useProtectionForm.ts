import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import type { ApiProblem } from '../../../api/errors';
import { useUpdateEnvironment } from '../../../api/queries/inventory/environments';
import type { Environment } from '../../../api/types';
import { showErrorOnFields } from '../../../ui/forms/form-errors';
import { useLeaveGuard } from '../../../ui/forms/useLeaveGuard';
import {
  fieldOf,
  formOf,
  isSameForm,
  protectionChange,
  type ProtectionForm,
  type WeakenedSettings,
} from './protection-form';

/** @param environment current environment, which may get a newer version while the form is open */
export function useProtectionForm(environment: Environment) {
  const update = useUpdateEnvironment(environment.id);
  const [problem, setProblem] = useState<ApiProblem | null>(null);
  const [baseVersion, setBaseVersion] = useState(environment);
  const [weakened, setWeakened] = useState<WeakenedSettings | null>(null);
  const form = useForm({ initialValues: formOf(environment) });
  const isEdited = !isSameForm(form.values, formOf(baseVersion));
  useLeaveGuard(isEdited);
  const save = (confirmHosts?: true) => {
    setProblem(null);
    const change = protectionChange(environment, form.getValues());
    update.mutate(
      { version: baseVersion.version, body: { ...change.body, confirmHosts } },
      {
        onSuccess: (saved) => {
          setBaseVersion(saved);
          if (change.weakened) setWeakened(change.weakened);
          else notifications.show({ message: 'Protection saved.' });
        },
        onError: (error) => setProblem(showErrorOnFields(form, error, (path) => fieldOf(form.getValues(), path))),
      },
    );
  };
  const continueWith = (values: ProtectionForm) => {
    form.setValues(values);
    setBaseVersion(environment);
    setProblem(null);
  };
  return {
    form,
    problem,
    isEdited,
    save,
    pending: update.isPending,
    isConflict: problem?.status === 412 && environment.version !== baseVersion.version,
    keepEdits: () => continueWith(form.getValues()),
    discardEdits: () => continueWith(formOf(environment)),
    /** Saved settings that need a request; null = none. */
    weakened,
    closeRequest: () => setWeakened(null),
  };
}
