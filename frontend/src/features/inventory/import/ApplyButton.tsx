import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { IconDownload } from '@tabler/icons-react';
import { missingGrant } from '../../../access/environment-access';
import { toProblem } from '../../../api/errors';
import { environmentChoicesQuery } from '../../../api/queries/inventory/environments';
import { useApplyImport } from '../../../api/queries/inventory/imports';
import { meQuery } from '../../../api/queries/access/session';
import type { ServerImport } from '../../../api/types';
import { useIdempotencyKey } from '../../../ui/forms/useIdempotencyKey';
import { applyLabel, touched } from './entries/chips';
import { ActionButton } from '../../../ui/page/ActionButton';

export function ApplyButton({ preview: { id, counts, environmentId } }: { preview: ServerImport }) {
  const navigate = useNavigate({ from: '/servers/import' });
  const apply = useApplyImport();
  const attempt = useIdempotencyKey();
  const { data: me } = useQuery(meQuery);
  const environments = useQuery(environmentChoicesQuery);
  if (!counts) return null;
  const there = environments.data?.items.find((one) => one.id === environmentId);
  const nothing = touched(counts) === 0 ? 'Nothing to import' : null;
  const run = () =>
    apply.mutate(
      { id, key: attempt.keyFor(id) },
      {
        onSuccess: (applied) => void navigate({ search: { import: applied.id } }),
        onError: (error) => {
          attempt.refused(error);
          notifications.show({ color: 'red', title: 'Nothing was imported', message: toProblem(error).message });
        },
      },
    );
  return (
    <ActionButton
      role="operator"
      unless={nothing ?? (there ? missingGrant(me?.role, there) : null)}
      icon={IconDownload}
      variant="filled"
      color={counts.remove > 0 ? 'red' : undefined}
      loading={apply.isPending}
      onClick={run}
    >
      {applyLabel(counts)}
    </ActionButton>
  );
}
