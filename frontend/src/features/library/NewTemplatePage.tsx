import { useNavigate } from '@tanstack/react-router';
import { templates } from '../../api/queries/library/templates';
import { NewRecord } from './form/NewRecord';
import { TemplatePreview } from './TemplatePreview';
import { emptyTemplate, templateOf } from './form/record-form';

export function NewTemplatePage() {
  const navigate = useNavigate();
  const create = templates.useCreate();
  return (
    <NewRecord
      kind="template"
      empty={emptyTemplate}
      pending={create.isPending}
      done={create.isSuccess}
      create={(form, key, onError) =>
        create.mutate(
          { body: templateOf(form), key },
          {
            onSuccess: ({ id }) => void navigate({ to: '/templates/$id', params: { id }, ignoreBlocker: true }),
            onError,
          },
        )
      }
      beside={(beside) => <TemplatePreview saved={null} {...beside} />}
    />
  );
}
