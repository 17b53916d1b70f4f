import { useNavigate } from '@tanstack/react-router';
import { scripts } from '../../api/queries/library/scripts';
import { AnchorLink } from '../../ui/page/links';
import { PageHeader } from '../../ui/page/PageHeader';
import { NewRecordForm } from './NewRecordForm';
import { emptyScript } from './record-form';

export function NewScriptPage() {
  const navigate = useNavigate();
  const create = scripts.useCreate();
  return (
    <>
      <PageHeader
        title="New script"
        above={
          <AnchorLink to="/scripts" size="xs">
            Scripts
          </AnchorLink>
        }
      />
      <NewRecordForm
        kind="script"
        empty={emptyScript}
        pending={create.isPending}
        done={create.isSuccess}
        create={(form, key, onError) =>
          create.mutate(
            { body: form, key },
            {
              onSuccess: ({ id }) => void navigate({ to: '/scripts/$id', params: { id }, ignoreBlocker: true }),
              onError,
            },
          )
        }
      />
    </>
  );
}
