import { useNavigate } from '@tanstack/react-router';
import { scripts } from '../../api/queries/library/scripts';
import { NewRecord } from './form/NewRecord';
import { emptyScript, scriptOf } from './form/record-form';

export function NewScriptPage() {
  const navigate = useNavigate();
  const create = scripts.useCreate();
  return (
    <NewRecord
      kind="script"
      empty={emptyScript}
      pending={create.isPending}
      done={create.isSuccess}
      create={(form, key, onError) =>
        create.mutate(
          { body: scriptOf(form), key },
          {
            onSuccess: ({ id }) => void navigate({ to: '/scripts/$id', params: { id }, ignoreBlocker: true }),
            onError,
          },
        )
      }
    />
  );
}
